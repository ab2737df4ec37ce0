package prefix

// Detach returns a body that composes to the bytes that b composes to, and holds neither
// b.Raw nor a copy of its history. head and items are what it will be composed with first:
// the items that are equal to theirs are from then on theirs, the others are gone. Its Raw
// is what stands around the items, with a 0 in the place of each.
//
// A history that is kept anyway need not stay in memory a second time while a provider
// works.
func (b *Body) Detach(head Head, items [][]byte) *Body {
	have, want := b.elements(), history(head, items)
	front, back := common(have, want)
	size := len(b.Raw)
	for _, e := range have {
		size -= e.End - e.Start - 1
	}
	raw, at := make([]byte, 0, size), 0
	for _, e := range have {
		raw = append(append(raw, b.Raw[at:e.Start]...), '0')
		at = e.End
	}
	d, err := split(append(raw, b.Raw[at:]...), b.Kind)
	if err != nil {
		panic("prefix: a detached body does not split: " + err.Error())
	}
	d.detached = true
	for i, place := range d.Items {
		d.Items[i] = b.Items[i]
		d.Items[i].at = place.at
		switch behind := len(have) - i; {
		case i < front:
			d.Items[i].Raw = want[i]
		case behind <= back:
			d.Items[i].Raw = want[len(want)-behind]
		default:
			d.Items[i].Raw = nil
		}
	}
	return d
}

// elements are the items as elements of messages.
func (b *Body) elements() []element {
	list := make([]element, len(b.Items))
	for i, item := range b.Items {
		size := len(item.Raw)
		if b.detached {
			size = 1
		}
		list[i] = element{Span{item.at, item.at + size}, item.Raw}
	}
	return list
}
