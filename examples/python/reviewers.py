"""A lead, and two reviewers that fork from it and send it what they find.

Nothing here but the SDK and headers. Start the proxy, then:

    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=… MODEL=… python reviewers.py
"""

import os
import uuid
from concurrent.futures import ThreadPoolExecutor

from openai import OpenAI

MODEL = os.environ.get("MODEL", "sim-1")
RUN = uuid.uuid4().hex[:8]  # agents are remembered: a new run has new ones

CHANGE = """
-func Token(r *http.Request) string { return r.Header.Get("Authorization") }
+func Token(r *http.Request) string {
+	t := r.Header.Get("Authorization")
+	log.Printf("token %s", t)
+	return strings.TrimPrefix(t, "Bearer ")
+}
"""


class Agent:
    """One conversation. Its headers say whose it is."""

    def __init__(self, name, parent=None, system=None):
        self.id = f"{name}-{RUN}"
        headers = {"X-Agent-Id": self.id}
        if parent:
            headers["X-Agent-Parent-Id"] = parent.id
        self.client = OpenAI(default_headers=headers)
        # A fork keeps what is its own; the proxy puts what it inherits before it.
        self.messages = [{"role": "system", "content": system}] if system else []

    def ask(self, prompt):
        self.messages.append({"role": "user", "content": prompt})
        answer = self.client.chat.completions.create(model=MODEL, messages=self.messages)
        text = answer.choices[0].message.content
        self.messages.append({"role": "assistant", "content": text})
        details = answer.usage.prompt_tokens_details
        cached = details.cached_tokens if details else 0
        print(f"{self.id}: {answer.usage.prompt_tokens} prompt tokens, {cached} of them cached")
        return text


lead = Agent("lead", system="You lead the review of a change. Be brief.")
lead.ask("Read this change, and say when you have.\n" + CHANGE)

# Each reviewer begins with the very bytes that the lead has sent, and is told by the
# proxy how to report: its message goes to the lead, not through this program.
def review(concern):
    return Agent(concern, parent=lead).ask(f"Review the change for {concern}.")


with ThreadPoolExecutor() as pool:
    list(pool.map(review, ["security", "readability"]))

print(lead.ask("What did the reviewers find?"))
