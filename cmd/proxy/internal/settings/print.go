package settings

import (
	"fmt"
	"io"
	"reflect"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// PrintFlag is the name of the flag with which a command prints its settings
// instead of running; it is no setting itself.
const PrintFlag = "print-config"

const redacted = "REDACTED"

// Print writes the settings of the selected command as a file that sets them
// all, each with where it comes from as a comment. Secrets are replaced.
func (l *Layers) Print(w io.Writer, ctx *kong.Context) error {
	given := map[*kong.Flag]bool{} // on the command line
	for _, element := range ctx.Path {
		if element.Flag != nil && !element.Resolved {
			given[element.Flag] = true
		}
	}
	document := &yaml.Node{Kind: yaml.MappingNode}
	for _, flag := range ctx.Selected().Flags {
		if outsideFile(flag.Name) {
			continue
		}
		from, resolved := l.sources[flag]
		switch {
		case given[flag]:
			from = "flag"
		case !resolved:
			from = "default"
		}
		value := &yaml.Node{}
		if err := value.Encode(shown(flag)); err != nil {
			return fmt.Errorf("--%s: %w", flag.Name, err)
		}
		value.LineComment = from
		if value.Kind == yaml.SequenceNode {
			value.Style = yaml.FlowStyle
		}
		document.Content = append(document.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: flag.Name}, value)
	}
	encoder := yaml.NewEncoder(w)
	if err := encoder.Encode(document); err != nil {
		return err
	}
	return encoder.Close()
}

// shown returns the value of a flag without its secrets: a bool, a string or a
// list of strings.
func shown(flag *kong.Flag) any {
	target := flag.Target
	switch {
	case flag.Tag.Has("secret") && !target.IsZero():
		return redacted
	case target.Kind() == reflect.Bool:
		return target.Bool()
	case target.Kind() == reflect.Slice:
		list := make([]string, target.Len())
		for i := range list {
			list[i] = text(target.Index(i))
		}
		return list
	}
	return text(target)
}

func text(value reflect.Value) string {
	if secret, ok := value.Interface().(interface{ Redacted() string }); ok {
		return secret.Redacted()
	}
	return fmt.Sprint(value.Interface())
}
