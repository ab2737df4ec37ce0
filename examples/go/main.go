// Command go is a lead, and two reviewers that fork from it and send it what they
// find. Nothing here but the SDK and headers. Start the proxy, then:
//
//	OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=… MODEL=… go run ./examples/go
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"golang.org/x/sync/errgroup"
)

const change = `
-func Token(r *http.Request) string { return r.Header.Get("Authorization") }
+func Token(r *http.Request) string {
+	t := r.Header.Get("Authorization")
+	log.Printf("token %s", t)
+	return strings.TrimPrefix(t, "Bearer ")
+}
`

// agent is one conversation. Its client's headers say whose it is.
type agent struct {
	id     string
	client openai.Client
	said   openai.ChatCompletionNewParams
}

// begin begins an agent's conversation. A fork, which has a parent, keeps what is its
// own; the proxy puts what it inherits before it.
func begin(id, parent string, messages ...openai.ChatCompletionMessageParamUnion) *agent {
	options := []option.RequestOption{option.WithHeader("X-Agent-Id", id)}
	if parent != "" {
		options = append(options, option.WithHeader("X-Agent-Parent-Id", parent))
	}
	return &agent{id, openai.NewClient(options...), openai.ChatCompletionNewParams{
		Model:    cmp.Or(os.Getenv("MODEL"), "sim-1"),
		Messages: messages,
	}}
}

func (a *agent) ask(ctx context.Context, prompt string) (string, error) {
	a.said.Messages = append(a.said.Messages, openai.UserMessage(prompt))
	answer, err := a.client.Chat.Completions.New(ctx, a.said)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.id, err)
	}
	message := answer.Choices[0].Message
	a.said.Messages = append(a.said.Messages, message.ToParam())
	fmt.Printf("%s: %d prompt tokens, %d of them cached\n",
		a.id, answer.Usage.PromptTokens, answer.Usage.PromptTokensDetails.CachedTokens)
	return message.Content, nil
}

func review(ctx context.Context) (found string, err error) {
	run := rand.Text()[:8] // agents are remembered: a new run has new ones
	lead := begin("lead-"+run, "", openai.SystemMessage("You lead the review of a change. Be brief."))
	if _, err := lead.ask(ctx, "Read this change, and say when you have.\n"+change); err != nil {
		return "", err
	}

	// Each reviewer begins with the very bytes that the lead has sent, and is told by
	// the proxy how to report: its message goes to the lead, not through this program.
	reviewers, ctx2 := errgroup.WithContext(ctx)
	for _, concern := range []string{"security", "readability"} {
		reviewers.Go(func() error {
			_, err := begin(concern+"-"+run, lead.id).ask(ctx2, "Review the change for "+concern+".")
			return err
		})
	}
	if err := reviewers.Wait(); err != nil {
		return "", err
	}
	return lead.ask(ctx, "What did the reviewers find?")
}

func main() {
	found, err := review(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found)
}
