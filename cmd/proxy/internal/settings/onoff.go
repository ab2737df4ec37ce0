package settings

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// onOff reads switches: a bare flag is on; values are on and off and their
// usual synonyms.
type onOff struct{}

// IsBool implements [kong.BoolMapper]: the value may be left out.
func (onOff) IsBool() bool { return true }

// Decode implements [kong.Mapper].
func (onOff) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	switch value := fmt.Sprint(ctx.Scan.Pop().Value); strings.ToLower(value) {
	case "on", "true", "yes", "1":
		target.SetBool(true)
	case "off", "false", "no", "0":
		target.SetBool(false)
	default:
		return fmt.Errorf("want on or off, got %q", value)
	}
	return nil
}
