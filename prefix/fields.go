package prefix

// actsOn reports whether the proxy reads or edits a top-level member of a chat
// request, so that two of them would be an ambiguity in which the proxy and the
// provider could each believe another one.
func actsOn(name string) bool {
	switch name {
	case "messages", "tools", "model", // what the prompt is made of
		"tool_choice", "functions", "function_call", "parallel_tool_calls", "response_format",
		"reasoning_effort", "thinking", "chat_template_kwargs",
		"prompt_cache_key", "cache_salt", "id_slot", // which cache it lands in
		"stream", "stream_options", "n": // how the answer is read
		return true
	}
	return false
}

// entersPrompt reports whether a top-level member can change what a provider
// renders ahead of the history, or which cache it looks in. The list of those
// that cannot is closed: a field that nobody here knows counts as one that can,
// since a change of it that goes unreported costs a whole prefill.
func entersPrompt(name string) bool {
	switch name {
	case "temperature", "top_p", "top_k", "top_a", "min_p", "typical_p", "seed", "logit_bias",
		"presence_penalty", "frequency_penalty", "repetition_penalty", "repeat_penalty", "length_penalty":
		return false // choose among tokens after the prompt was read

	case "max_tokens", "max_completion_tokens", "max_output_tokens", "min_tokens", "stop", "stop_sequences",
		"ignore_eos", "n", "best_of", "max_tool_calls":
		return false // say where the answer ends and how many there are

	case "stream", "stream_options", "logprobs", "top_logprobs", "include":
		return false // say in what form the answer comes back

	case "user", "metadata", "client_metadata", "store", "safety_identifier", "background":
		return false // book-keeping beside the prompt; some clients change it on every attempt

	case "service_tier", "timeout", "prompt_cache_retention", "cache_prompt", "id_slot", "prediction":
		return false // speed, price and how long a cache lives, not what it holds
	}
	return true
}
