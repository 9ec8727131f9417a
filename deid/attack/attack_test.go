package attack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// note makes a note of values between words that are not PHI.
func note(id, patient string, values ...[2]string) *data.Document {
	doc := &data.Document{ID: id, Patient: patient}
	var b strings.Builder
	for _, v := range values {
		b.WriteString(" the next ")
		doc.Spans = append(doc.Spans, data.Span{Start: b.Len(), End: b.Len() + len(v[1]), Type: v[0], Score: 1})
		b.WriteString(v[1])
	}
	doc.Text = b.String()
	return doc
}

// suspected returns the texts of the suspects.
func suspected(docs []*data.Document, suspects []Suspect) map[string]int {
	byID, texts := map[string]string{}, map[string]int{}
	for _, doc := range docs {
		byID[doc.ID] = doc.Text
	}
	for _, s := range suspects {
		texts[byID[s.Note][s.Start:s.End]]++
	}
	return texts
}

func types(t *testing.T) *data.TypeSet {
	set, err := data.LookupTypeSet("i2b2-2014")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestParrotSuspectsWhatItsTaggerDoesNotFind plants names in a form that the tagger sees once, among many in another form.
func TestParrotSuspectsWhatItsTaggerDoesNotFind(t *testing.T) {
	var docs []*data.Document
	for i := range 60 {
		doc := note(fmt.Sprint(i), fmt.Sprint(i))
		text := fmt.Sprintf("Seen by Dr. Berg%dson on the ward. Stable today.\n", i)
		at := strings.Index(text, "Berg")
		doc.Spans = []data.Span{{Start: at, End: strings.Index(text, " on"), Type: "DOCTOR", Score: 1}}
		if i == 7 {
			text += "spoke to wilma about it\n"
			at := strings.Index(text, "wilma")
			doc.Spans = append(doc.Spans, data.Span{Start: at, End: at + 5, Type: "PATIENT", Score: 1})
		}
		doc.Text = text
		docs = append(docs, doc)
	}
	suspects, err := Parrot(t.Context(), docs, types(t), Training{Seed: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := suspected(docs, suspects); len(got) != 1 || got["wilma"] != 1 {
		t.Errorf("suspects %v, want wilma alone", got)
	}
	if len(suspects) > 0 && suspects[0].Confidence < 0.5 {
		t.Errorf("confidence %v", suspects[0].Confidence)
	}
}

func TestUnlistedKnowsTheListsOfSurrogates(t *testing.T) {
	docs := []*data.Document{
		note("1", "a", [2]string{"PATIENT", "Abigail Abernathy"}, [2]string{"DOCTOR", "Qvxnar Zzyth"}, [2]string{"HOSPITAL", "Alder Creek Hospital"},
			[2]string{"HOSPITAL", "Zzyth General"}, [2]string{"DATE", "Zzyth"}, [2]string{"DOCTOR", "QZ"}),
	}
	if got := suspected(docs, Unlisted(docs, types(t), nil)); len(got) != 2 || got["Qvxnar Zzyth"] != 1 || got["Zzyth General"] != 1 {
		t.Errorf("suspects %v", got)
	}
	lists := map[string][]string{"en-surname": {"Zzyth"}}
	if got := suspected(docs, Unlisted(docs, types(t), lists)); got["Qvxnar Zzyth"] != 0 {
		t.Errorf("suspects %v although the name is in a list of the user's own", got)
	}
}

func TestFrequentSuspectsWhatManyPatientsShare(t *testing.T) {
	var docs []*data.Document
	for i := range 40 {
		values := [][2]string{{"HOSPITAL", fmt.Sprintf("Hospital %d", i)}}
		if i%4 == 0 {
			values = append(values, [2]string{"HOSPITAL", "The Mater"})
		}
		docs = append(docs, note(fmt.Sprint(i), fmt.Sprint(i), values...))
	}
	// Twenty mentions with one patient are not remarkable.
	docs = append(docs, note("one", "one", slicesOf(20, [2]string{"HOSPITAL", "St. Elm"})...))
	if got := suspected(docs, Frequent(docs)); len(got) != 1 || got["The Mater"] != 10 {
		t.Errorf("suspects %v", got)
	}
}

func slicesOf(n int, v [2]string) (all [][2]string) {
	for range n {
		all = append(all, v)
	}
	return all
}

func TestOddDatesSuspectsWhatIsFarFromTheOthers(t *testing.T) {
	docs := []*data.Document{
		note("1", "a", [2]string{"DATE", "03/04/2071"}, [2]string{"DATE", "2071-03-06"}, [2]string{"DATE", "March 9, 2071"}, [2]string{"DATE", "04/01/2031"},
			[2]string{"DATE", "Monday"}, [2]string{"DATE", "2031"}),
		note("2", "b", [2]string{"DATE", "03/04/2071"}, [2]string{"DATE", "04/01/2031"}), // too few
	}
	if got := suspected(docs, OddDates(docs, types(t))); len(got) != 1 || got["04/01/2031"] != 1 {
		t.Errorf("suspects %v", got)
	}
}
