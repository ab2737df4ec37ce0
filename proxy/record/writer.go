package record

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// write is the goroutine that owns the files.
func (r *Recorder) write() {
	defer close(r.done)
	out := output{Recorder: r, lines: bufio.NewWriterSize(nil, 64<<10)}
	defer out.close()
	for {
		select {
		case j := <-r.jobs:
			out.job(j)
		case <-r.closing:
			for {
				select {
				case j := <-r.jobs:
					out.job(j)
				default:
					return
				}
			}
		}
	}
}

// output is the file that is written to.
type output struct {
	*Recorder
	file *os.File // nil: none is open
	day  string
	part int         // of the day
	size int64       // up to the end of the last whole line
	info os.FileInfo // of file

	lines *bufio.Writer // to file, through counted
	counted
}

func (o *output) job(j *job) {
	defer o.queued.Add(-j.held)
	n, err := o.line(j.x)
	if err != nil {
		o.Log.Debug("exchange not written", "err", err)
		o.lost(LostDisk)
		return
	}
	if o.Trace.Written != nil {
		o.Trace.Written(n)
	}
}

// line appends an exchange. After an error the file ends with its last whole line, or is
// not written to again.
func (o *output) line(x *Exchange) (int64, error) {
	if day := time.Now().UTC().Format(time.DateOnly); o.file == nil || day != o.day || o.size >= o.FileBytes || o.removed() {
		if err := o.next(day); err != nil {
			return 0, err
		}
	}
	o.counted = counted{o.file, 0}
	o.lines.Reset(&o.counted)
	e := encoder{w: o.lines}
	e.exchange(x)
	if err := e.w.Flush(); err != nil {
		if cut := o.file.Truncate(o.size); cut != nil {
			err = errors.Join(err, cut)
		}
		if o.size == 0 {
			err = errors.Join(err, os.Remove(o.file.Name()))
		}
		return 0, errors.Join(err, o.close())
	}
	o.size += o.n
	return o.n, nil
}

// removed reports whether the file is not in its directory any more, by the hand of a user or of
// another recorder that made room. What is written to it then would be lost without a count.
func (o *output) removed() bool {
	there, err := os.Lstat(o.file.Name())
	return err != nil || !os.SameFile(there, o.info)
}

// counted is a file with the number of bytes that were written to it.
type counted struct {
	to *os.File
	n  int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// next begins another file, and makes room for it.
func (o *output) next(day string) error {
	if err := o.close(); err != nil {
		return err
	}
	if day != o.day {
		o.day, o.part = day, 0
	}
	o.part++
	if err := prune(o.Dir, o.TotalBytes-o.FileBytes); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s.jsonl", day, o.run)
	if o.part > 1 {
		name = fmt.Sprintf("%s-%s.%d.jsonl", day, o.run, o.part)
	}
	file, err := os.OpenFile(filepath.Join(o.Dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	o.file, o.info, o.size = file, info, 0
	return nil
}

func (o *output) close() error {
	if o.file == nil {
		return nil
	}
	err := o.file.Close()
	o.file = nil
	return err
}
