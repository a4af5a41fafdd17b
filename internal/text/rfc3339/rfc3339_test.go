package rfc3339_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/text/rfc3339"
)

// valid are date-times and the same moment as every reader takes it.
var valid = map[string]string{
	"2026-07-14T09:30:00Z":                "2026-07-14T09:30:00Z",
	"2026-07-14t09:30:00z":                "2026-07-14T09:30:00Z",
	"2026-07-14T09:30:00z":                "2026-07-14T09:30:00Z",
	"2026-07-14t09:30:00Z":                "2026-07-14T09:30:00Z",
	"2026-07-14T09:30:00+02:00":           "2026-07-14T09:30:00+02:00",
	"2026-07-14T09:30:00-02:00":           "2026-07-14T09:30:00-02:00",
	"2026-07-14T09:30:00+00:00":           "2026-07-14T09:30:00Z",
	"2026-07-14T09:30:00-00:00":           "2026-07-14T09:30:00Z",
	"2026-07-14T09:30:00+05:45":           "2026-07-14T09:30:00+05:45",
	"2026-07-14T09:30:00+23:59":           "2026-07-14T09:30:00+23:59",
	"2026-07-14T09:30:00-23:59":           "2026-07-14T09:30:00-23:59",
	"2026-07-14T09:30:00.1Z":              "2026-07-14T09:30:00.1Z",
	"2026-07-14T09:30:00.123Z":            "2026-07-14T09:30:00.123Z",
	"2026-07-14T09:30:00.123456789Z":      "2026-07-14T09:30:00.123456789Z",
	"2026-07-14T09:30:00.000000001+01:00": "2026-07-14T09:30:00.000000001+01:00",
	"2026-07-14T09:30:00.500Z":            "2026-07-14T09:30:00.5Z",
	"2026-07-14T09:30:00.0Z":              "2026-07-14T09:30:00Z",
	"2026-07-14T00:00:00Z":                "2026-07-14T00:00:00Z",
	"2026-07-14T23:59:59Z":                "2026-07-14T23:59:59Z",
	"2024-02-29T00:00:00Z":                "2024-02-29T00:00:00Z",
	"2000-02-29T00:00:00Z":                "2000-02-29T00:00:00Z",
	"0000-02-29T00:00:00Z":                "0000-02-29T00:00:00Z",
	"0000-01-01T00:00:00Z":                "0000-01-01T00:00:00Z",
	"0001-01-01T00:00:00Z":                "0001-01-01T00:00:00Z",
	"9999-12-31T23:59:59.999999999Z":      "9999-12-31T23:59:59.999999999Z",
	"9999-12-31T23:59:59+01:00":           "9999-12-31T23:59:59+01:00",
	"0000-01-01T00:00:00-01:00":           "0000-01-01T00:00:00-01:00",
	"1969-12-31T23:59:59Z":                "1969-12-31T23:59:59Z",
	"2026-01-31T12:00:00Z":                "2026-01-31T12:00:00Z",
	"2026-04-30T12:00:00Z":                "2026-04-30T12:00:00Z",
	"2026-03-29T02:30:00+01:00":           "2026-03-29T02:30:00+01:00",
	"2026-03-08T02:30:00-05:00":           "2026-03-08T02:30:00-05:00",
	"1990-12-31T23:59:60Z":                "1991-01-01T00:00:00Z",
	"1990-12-31T15:59:60-08:00":           "1990-12-31T16:00:00-08:00",
	"2015-06-30T23:59:60.5Z":              "2015-07-01T00:00:00Z",
	"2015-07-01T01:59:60+02:00":           "2015-07-01T02:00:00+02:00",
	"1985-04-12T23:20:50.52Z":             "1985-04-12T23:20:50.52Z",
	"1937-01-01T12:00:27.87+00:20":        "1937-01-01T12:00:27.87+00:20",
}

// invalid are texts and what is wrong with them.
var invalid = map[string]error{
	"":                                  rfc3339.ErrForm,
	" ":                                 rfc3339.ErrForm,
	"now":                               rfc3339.ErrForm,
	"tomorrow at 9":                     rfc3339.ErrForm,
	"1783934400":                        rfc3339.ErrForm,
	"2026-07-14":                        rfc3339.ErrNoTime,
	"2026-07":                           rfc3339.ErrForm,
	"2026-7-14T09:30:00Z":               rfc3339.ErrForm,
	"26-07-14T09:30:00Z":                rfc3339.ErrForm,
	"20260714T093000Z":                  rfc3339.ErrForm,
	"2026-W29-2T09:30:00Z":              rfc3339.ErrForm,
	"2026-195T09:30:00Z":                rfc3339.ErrForm,
	"2026/07/14T09:30:00Z":              rfc3339.ErrForm,
	"14.07.2026 09:30":                  rfc3339.ErrForm,
	"Tue, 14 Jul 2026 09:30:00 GMT":     rfc3339.ErrForm,
	"2026-07-14 09:30:00Z":              rfc3339.ErrForm,
	"2026-07-14_09:30:00Z":              rfc3339.ErrForm,
	"2026-07-14T09:30:00":               rfc3339.ErrNoOffset,
	"2026-07-14T09:30:00.123":           rfc3339.ErrNoOffset,
	"2026-07-14T09:30Z":                 rfc3339.ErrForm,
	"2026-07-14T09Z":                    rfc3339.ErrForm,
	"2026-07-14TZ":                      rfc3339.ErrForm,
	"2026-07-14Z":                       rfc3339.ErrForm,
	"2026-07-14T9:30:00Z":               rfc3339.ErrForm,
	"2026-07-14T2:00:00Z":               rfc3339.ErrForm,
	"2026-07-14T09:3:00Z":               rfc3339.ErrForm,
	"2026-07-14T09:30:0Z":               rfc3339.ErrForm,
	"2026-07-14T09:30:00,123Z":          rfc3339.ErrForm,
	"2026-07-14T09:30:00.Z":             rfc3339.ErrForm,
	"2026-07-14T09:30:00.1234567890Z":   rfc3339.ErrFraction,
	"2026-07-14T09:30:00.12a4Z":         rfc3339.ErrForm,
	"2026-07-14T24:00:00Z":              rfc3339.ErrRange,
	"2026-07-14T25:00:00Z":              rfc3339.ErrRange,
	"2026-07-14T09:60:00Z":              rfc3339.ErrRange,
	"2026-07-14T09:30:61Z":              rfc3339.ErrRange,
	"2026-07-14T09:30:60Z":              rfc3339.ErrLeapSecond,
	"2026-07-14T23:59:60Z":              rfc3339.ErrLeapSecond,
	"2026-12-31T23:59:60+01:00":         rfc3339.ErrLeapSecond,
	"2026-03-31T23:59:60Z":              rfc3339.ErrLeapSecond,
	"2026-12-31T22:59:60Z":              rfc3339.ErrLeapSecond,
	"2026-00-14T09:30:00Z":              rfc3339.ErrRange,
	"2026-13-14T09:30:00Z":              rfc3339.ErrRange,
	"2026-07-00T09:30:00Z":              rfc3339.ErrRange,
	"2026-07-32T09:30:00Z":              rfc3339.ErrRange,
	"2026-02-29T09:30:00Z":              rfc3339.ErrRange,
	"2100-02-29T09:30:00Z":              rfc3339.ErrRange,
	"2026-04-31T09:30:00Z":              rfc3339.ErrRange,
	"2026-06-31T09:30:00Z":              rfc3339.ErrRange,
	"2026-07-14T09:30:00+24:00":         rfc3339.ErrRange,
	"2026-07-14T09:30:00-24:00":         rfc3339.ErrRange,
	"2026-07-14T09:30:00+23:60":         rfc3339.ErrRange,
	"2026-07-14T09:30:00+99:99":         rfc3339.ErrRange,
	"2026-07-14T09:30:00+2:00":          rfc3339.ErrForm,
	"2026-07-14T09:30:00+0200":          rfc3339.ErrForm,
	"2026-07-14T09:30:00+02":            rfc3339.ErrForm,
	"2026-07-14T09:30:00+02:00:00":      rfc3339.ErrForm,
	"2026-07-14T09:30:00 +02:00":        rfc3339.ErrForm,
	"2026-07-14T09:30:00\u221202:00":    rfc3339.ErrForm,
	"2026-07-14T09:30:00ZZ":             rfc3339.ErrForm,
	"2026-07-14T09:30:00Z ":             rfc3339.ErrForm,
	" 2026-07-14T09:30:00Z":             rfc3339.ErrForm,
	"2026-07-14T09:30:00Z\n":            rfc3339.ErrForm,
	"2026-07-14T09:30:00UTC":            rfc3339.ErrForm,
	"2026-07-14T09:30:00 Europe/Berlin": rfc3339.ErrForm,
	"2026-07-14T09:30:00Z[Europe/Rome]": rfc3339.ErrForm,
	"2026-07-14T09:30:00.5":             rfc3339.ErrNoOffset,
	"+2026-07-14T09:30:00Z":             rfc3339.ErrForm,
	"-001-07-14T09:30:00Z":              rfc3339.ErrForm,
	"12026-07-14T09:30:00Z":             rfc3339.ErrForm,
	"0000-01-01T00:00:00+00:01":         rfc3339.ErrRange,
	"9999-12-31T23:59:59-00:01":         rfc3339.ErrRange,
	"9999-12-31T23:59:60Z":              rfc3339.ErrRange,
	"２０２６-07-14T09:30:00Z":              rfc3339.ErrForm,
	"2026-07-14T09:30:00Z\x00":          rfc3339.ErrForm,
	"2026-07-14T09.30.00Z":              rfc3339.ErrForm,
	"2026-07-14Tnoon":                   rfc3339.ErrForm,
	"2026-07-14T09:30:00A":              rfc3339.ErrForm,
	"P1D":                               rfc3339.ErrForm,
}

// The zone of the machine must not matter, so this test changes it and does not run beside others.
func TestDateTimesAreReadByTheGrammarInEveryTimeZone(t *testing.T) { //nolint:paralleltest // changes time.Local
	require.Greater(t, len(valid)+len(invalid), 80)
	before := time.Local
	defer func() { time.Local = before }()
	for _, name := range []string{"UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		time.Local = zone
		for text, want := range valid {
			got, err := rfc3339.Parse(text)
			require.NoError(t, err, text)
			require.Equal(t, want, rfc3339.Format(got), text)
			again, err := time.Parse(time.RFC3339, rfc3339.Format(got))
			require.NoError(t, err, text)
			require.True(t, again.Equal(got), text)
			_, err = got.UTC().MarshalJSON()
			require.NoError(t, err, text)
		}
		for text, want := range invalid {
			_, err := rfc3339.Parse(text)
			require.ErrorIs(t, err, want, "%q", text)
		}
	}
}

func TestWhatIsSuggestedIsNearAndValid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-07-14T09:30:00":             "2026-07-14T09:30:00Z",
		"2026-07-14":                      "2026-07-14T00:00:00Z",
		"2026-07-14 09:30":                "2026-07-14T09:30:00Z",
		"2026-07-14 9:30:05 +0200":        "2026-07-14T09:30:05+02:00",
		"2026-07-14T09:30+02":             "2026-07-14T09:30:00+02:00",
		"2026-07-14T09:30:00,25Z":         "2026-07-14T09:30:00.25Z",
		"2026-07-14T09:30:00.1234567899Z": "2026-07-14T09:30:00.123456789Z",
		"2026-07-14 09:30:00 UTC":         "2026-07-14T09:30:00Z",
		"2026-02-30":                      rfc3339.Example,
		"tomorrow":                        rfc3339.Example,
	} {
		require.Equal(t, want, rfc3339.Suggest(text), text)
	}
	for text := range invalid {
		_, err := rfc3339.Parse(rfc3339.Suggest(text))
		require.NoError(t, err, text)
	}
}

func FuzzParse(f *testing.F) {
	for text := range valid {
		f.Add(text)
	}
	for text := range invalid {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := rfc3339.Parse(text)
		if err == nil {
			again, err := rfc3339.Parse(rfc3339.Format(got))
			require.NoError(t, err)
			require.True(t, again.Equal(got))
			if !strings.Contains(text, ":60") {
				lenient, err := time.Parse(time.RFC3339, strings.ToUpper(text))
				require.NoError(t, err, "the library takes what is taken here")
				require.True(t, lenient.Equal(got))
			}
		}
		_, err = rfc3339.Parse(rfc3339.Suggest(text))
		require.NoError(t, err, "%q suggests %q", text, rfc3339.Suggest(text))
	})
}
