package xmlnotes

import "strings"

// Records is a file of the i2b2 2006 de-identification challenge, which has many notes and marks
// their PHI within the text:
//
//	<ROOT>
//	<RECORD ID="641">
//	<TEXT>Seen by <PHI TYPE="DOCTOR">Amundsen</PHI>.</TEXT>
//	</RECORD>
//	</ROOT>
type Records struct {
	Records []*Record
	End     int // position of the tag that ends the root
	// Hidden is the first item outside of records that could identify a person, as in Note. It is nil
	// if there is none.
	Hidden *Error
}

// Record is a RECORD element.
type Record struct {
	ID       string
	Number   int // of the record in its file, from 1
	From, To int // file[From:To] is the element
	Line     int // of its first character
	TextLine int // of <TEXT>
	// Text is the character data of TEXT, within marks and outside of them.
	Text  []Token
	Marks []Mark // in the order of the file
	// Hidden is the first item of the record, besides text and marks, that could identify a person.
	Hidden *Error
	// Defect is the first reason why the record cannot be used, or nil: it has no ID or not one TEXT,
	// or marks within each other, without TYPE, or without text.
	Defect *Error
}

// Mark is a PHI element.
type Mark struct {
	Type        string
	First, Next int   // Text[First:Next] is its content
	Open, Close Token // its tags, without attributes
}

// ReadRecords reads a file of the i2b2 2006 challenge to its end. The root must be ROOT and contain only
// elements RECORD. An error, which is of type *Error, means that the rest of the file cannot be read; the
// records before it are returned nevertheless.
func ReadRecords(r *Reader) (*Records, error) {
	p := &recordParser{parser: parser{in: r, start: r.at}}
	err := p.document(p.root, "ROOT")
	p.out.Hidden = p.note.Hidden
	return &p.out, err
}

type recordParser struct {
	parser // its note has what is hidden in the current record, or outside of all records
	out    Records
}

func (p *recordParser) root() error {
	end, err := p.children(func(t Token) error {
		if t.Local != "RECORD" {
			return defect(t.Line, "an element other than RECORD in ROOT")
		}
		outside := p.note.Hidden
		p.note.Hidden = nil
		rec, err := p.record(t)
		rec.Hidden, p.note.Hidden = p.note.Hidden, outside
		if err == nil {
			p.out.Records = append(p.out.Records, rec)
			rec.Number = len(p.out.Records)
		}
		return err
	})
	p.out.End = end.From
	return err
}

// record reads a RECORD to its end. The error is one of the file.
func (p *recordParser) record(start Token) (*Record, error) {
	rec := &Record{From: start.From, Line: start.Line}
	for _, a := range start.Attributes {
		if a.Name == "ID" {
			rec.ID = Unescape(a.Value)
		} else {
			p.hide(start.Line, "an attribute of RECORD other than ID, which would go unexamined")
		}
	}
	if strings.TrimSpace(rec.ID) == "" {
		rec.fail(start.Line, "a RECORD without an ID", "the attribute ID, in capitals, is required")
	}
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return rec, err
		case t.Kind == End:
			if rec.TextLine == 0 {
				rec.fail(t.Line, "no TEXT element", "its name is in capitals")
			}
			rec.To = t.To
			return rec, nil
		case t.Kind != Start:
			if line := p.words(t); line > 0 {
				rec.fail(line, "text outside of TEXT", "")
			}
		case t.Local == "TEXT":
			if rec.TextLine > 0 {
				rec.fail(t.Line, "duplicate TEXT", "a RECORD has one note")
			}
			p.bare(t)
			rec.TextLine = t.Line
			err = p.recordText(rec)
		default:
			p.hide(t.Line, "an element other than TEXT, which would go unexamined")
			err = p.within()
		}
		if err != nil {
			return rec, err
		}
	}
}

// fail records the first defect.
func (rec *Record) fail(line int, reason, hint string) {
	if rec.Defect == nil {
		rec.Defect = advised(line, reason, hint)
	}
}

// recordText reads a TEXT to its end.
func (p *recordParser) recordText(rec *Record) error {
	open := []string{"TEXT"} // the elements around the next token
	for len(open) > 0 {
		t, err := p.next()
		if err != nil {
			return err
		}
		last := open[len(open)-1]
		switch t.Kind {
		case Start:
			if t.Local == "PHI" && last != "PHI" {
				p.mark(rec, t)
			} else if t.Local == "PHI" {
				rec.fail(t.Line, "a PHI within another", "keep one of them, because the format has no nested spans")
			} else {
				rec.fail(t.Line, "an element other than PHI within TEXT", "a span is written <PHI TYPE=\"DOCTOR\">, and a < of the note &lt;")
			}
			open = append(open, t.Local)
		case End:
			if open = open[:len(open)-1]; last == "PHI" {
				rec.close(t)
			}
		default:
			t.Attributes = nil
			rec.Text = append(rec.Text, t)
		}
	}
	return nil
}

// mark begins a mark.
func (p *recordParser) mark(rec *Record, t Token) {
	m := Mark{Open: t, First: len(rec.Text)}
	for _, a := range t.Attributes {
		if a.Name == "TYPE" {
			m.Type = Unescape(a.Value)
		} else {
			p.hide(t.Line, "an attribute of PHI other than TYPE, which would go unexamined")
		}
	}
	if m.Type == "" {
		rec.fail(t.Line, "a PHI without a TYPE", "the attribute TYPE, in capitals, is required")
	}
	m.Open.Attributes = nil
	rec.Marks = append(rec.Marks, m)
}

// close ends the last mark.
func (rec *Record) close(t Token) {
	m := &rec.Marks[len(rec.Marks)-1]
	if m.Close, m.Next = t, len(rec.Text); m.First == m.Next {
		rec.fail(m.Open.Line, "a PHI without text", "leave it out")
	}
}
