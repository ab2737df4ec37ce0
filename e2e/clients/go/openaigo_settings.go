package main

import (
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// officialClientOf returns the client of the agent that these headers name.
func officialClientOf(headers map[string]string) openai.Client {
	var options []option.RequestOption
	for name, value := range headers {
		options = append(options, option.WithHeader(name, value))
	}
	return openai.NewClient(options...) // reads OPENAI_BASE_URL and OPENAI_API_KEY
}
