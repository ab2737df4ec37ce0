package sim

// responsesEvent is any event of a Responses stream; each has some of these.
type responsesEvent struct {
	Type         string          `json:"type"`
	Number       int             `json:"sequence_number"`
	Response     *responsesWhole `json:"response,omitempty"`
	ItemID       string          `json:"item_id,omitempty"`
	OutputIndex  *int            `json:"output_index,omitempty"`
	ContentIndex *int            `json:"content_index,omitempty"`
	Item         *outputItem     `json:"item,omitempty"`
	Part         *outputText     `json:"part,omitempty"`
	Delta        *string         `json:"delta,omitempty"`
	Text         *string         `json:"text,omitempty"`
	Arguments    *string         `json:"arguments,omitempty"`
}

// events is the answer as a stream: each output item opened, in pieces, and
// done, then the completed response.
func (responses) events(r reply) stream {
	var s stream
	emit := func(e responsesEvent) {
		e.Number = len(s.frames)
		s.add(e.Type, encode(e))
	}
	emit(responsesEvent{Type: "response.created", Response: new(r.open())})
	emit(responsesEvent{Type: "response.in_progress", Response: new(r.open())})
	output := r.output()
	for i, it := range output {
		opened := it
		opened.Status = "in_progress"
		if it.Type == "message" {
			opened.Content = &[]outputText{}
			emit(responsesEvent{Type: "response.output_item.added", OutputIndex: &i, Item: &opened})
			messageEvents(r.answer, it, i, emit)
		} else {
			opened.Arguments = new("")
			emit(responsesEvent{Type: "response.output_item.added", OutputIndex: &i, Item: &opened})
			for _, p := range r.answer.pieces(*it.Arguments) {
				emit(responsesEvent{Type: "response.function_call_arguments.delta", ItemID: it.ID, OutputIndex: &i, Delta: &p})
			}
			emit(responsesEvent{Type: "response.function_call_arguments.done", ItemID: it.ID, OutputIndex: &i, Arguments: it.Arguments})
		}
		emit(responsesEvent{Type: "response.output_item.done", OutputIndex: &i, Item: &it})
	}
	s.finish = len(s.frames)
	last := r.closed(output)
	emit(responsesEvent{Type: "response." + last.Status, Response: &last})
	return s
}

func messageEvents(a Answer, it outputItem, index int, emit func(responsesEvent)) {
	at := func(kind string) responsesEvent {
		return responsesEvent{Type: kind, ItemID: it.ID, OutputIndex: &index, ContentIndex: new(0)}
	}
	e := at("response.content_part.added")
	e.Part = new(newOutputText(""))
	emit(e)
	for _, p := range a.pieces(a.Text) {
		e = at("response.output_text.delta")
		e.Delta = &p
		emit(e)
	}
	e = at("response.output_text.done")
	e.Text = &a.Text
	emit(e)
	e = at("response.content_part.done")
	e.Part = new(newOutputText(a.Text))
	emit(e)
}
