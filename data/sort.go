package data

import "slices"

// Sort is the kind of values of a PHI type. It determines in which forms the
// safety net searches for a value, and how a surrogate for it is generated.
// Configuration files use the same names.
type Sort string

// The sorts. Other is for types to which no other sort applies.
const (
	Person       Sort = "person"       // a name in any form, such as initials or the surname first
	Username     Sort = "username"     // the name of an account
	Date         Sort = "date"         // a date or a part of one
	Age          Sort = "age"          // an age in years, months or days
	Number       Sort = "number"       // the number of a record, account or device; may contain letters
	Phone        Sort = "phone"        // a telephone, fax or pager number
	Email        Sort = "email"        // an e-mail address
	URL          Sort = "url"          // a web address
	IP           Sort = "ip"           // an address on a network
	Hospital     Sort = "hospital"     // a hospital, clinic or practice
	Organization Sort = "organization" // any other organization, such as an employer
	Department   Sort = "department"   // a ward or department
	Street       Sort = "street"       // a street, usually with a house number
	City         Sort = "city"         // a city, town or village
	State        Sort = "state"        // a state, province or region, perhaps abbreviated
	Country      Sort = "country"      // a country
	Zip          Sort = "zip"          // a postal code
	Place        Sort = "place"        // any of the five sorts from Street to Zip
	Landmark     Sort = "landmark"     // a park, a bridge, a post-office box
	Room         Sort = "room"         // a room, bed or floor
	Profession   Sort = "profession"   // an occupation
	Family       Sort = "family"       // a word for a relative
	Sex          Sort = "sex"          // a word for the patient's sex
	Other        Sort = "other"        // anything else
)

// Sorts returns all sorts.
func Sorts() []Sort {
	return []Sort{Person, Username, Date, Age, Number, Phone, Email, URL, IP, Hospital, Organization, Department, Street, City, State, Country, Zip, Place,
		Landmark, Room, Profession, Family, Sex, Other}
}

// isPlace reports whether a sort is Place or one of those that it includes.
func isPlace(s Sort) bool {
	return slices.Contains([]Sort{Place, Street, City, State, Country, Zip}, s)
}

// substitutes lists, for a sort, other sorts, best first. If a type set has no type
// of the sort itself, a type of one of these sorts can hold the values.
var substitutes = map[Sort][]Sort{
	Phone:        {Number},
	Email:        {Phone, Number},
	URL:          {Phone, Number},
	IP:           {Phone, Number},
	Hospital:     {Organization, Place, Landmark},
	Organization: {Hospital, Place, Landmark},
	Street:       {Place, Landmark, Organization, Hospital},
	City:         {Place, Landmark, Organization, Hospital},
	Zip:          {Place, Landmark, Organization, Hospital},
}
