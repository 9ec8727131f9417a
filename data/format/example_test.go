package format_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
)

// This example converts a corpus from one format to another, note by note.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "110-04.txt"), []byte("Seen by Dr. Zoë Vance."), 0o666)
	os.WriteFile(filepath.Join(dir, "110-04.ann"), []byte("T1\tDOCTOR 12 21\tZoë Vance\n"), 0o666)

	w, err := format.Create("i2b2", filepath.Join(dir, "xml"), data.I2B2)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	for doc, err := range format.Read("brat", dir, format.Options{Types: data.I2B2}) {
		if err != nil {
			log.Print(err) // only this note is skipped
			continue
		}
		if err := w.Write(doc); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	written, _ := os.ReadFile(filepath.Join(dir, "xml", "110-04.xml"))
	fmt.Print(string(written))
	// Output:
	// <?xml version="1.0" encoding="UTF-8" ?>
	// <deIdi2b2>
	// <TEXT><![CDATA[Seen by Dr. Zoë Vance.]]></TEXT>
	// <TAGS>
	// <NAME id="P0" start="12" end="21" text="Zoë Vance" TYPE="DOCTOR" comment="" />
	// </TAGS>
	// </deIdi2b2>
}
