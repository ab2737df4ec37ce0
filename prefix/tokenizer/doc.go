// Package tokenizer counts tokens of text where no provider has reported any yet.
//
// The count is that of one public vocabulary (o200k), not the provider's own: good for a
// first guess at tokens a byte, and replaced by the first report. The first call builds the
// tables, which takes hundreds of milliseconds, so nobody calls it while a client waits.
package tokenizer
