package main

import (
	"net/http"
	"os"

	"github.com/sashabaranov/go-openai"
)

// clientOf returns the client of the agent that these headers name.
func clientOf(headers map[string]string) *openai.Client {
	config := openai.DefaultConfig(os.Getenv("OPENAI_API_KEY"))
	config.BaseURL = os.Getenv("OPENAI_BASE_URL")
	config.HTTPClient = agent(headers)
	return openai.NewClientWithConfig(config)
}

// agent sends headers with every request; the library has no setting for them.
type agent map[string]string

func (a agent) Do(request *http.Request) (*http.Response, error) {
	for name, value := range a {
		request.Header.Set(name, value)
	}
	return http.DefaultClient.Do(request)
}
