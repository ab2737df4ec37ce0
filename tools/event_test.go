package tools

// Event takes in one event of a stream: its name ("" for most) and its data.
// Data is not kept. An event without data says nothing.
func (a *Answer) Event(name string, data []byte) {
	if c, ok := a.read(name, data); ok {
		a.add(&c)
	}
}
