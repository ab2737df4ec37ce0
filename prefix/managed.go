package prefix

// explicitOnly reports that the client has turned off the breakpoint that the
// provider sets by itself at a request's end (OpenAI's prompt_cache_options).
func (h Head) explicitOnly() bool {
	for _, f := range h.Fields {
		if f.Name == "prompt_cache_options" {
			o, _ := membersOf(f.Raw)
			return o.text("mode") == "explicit"
		}
	}
	return false
}
