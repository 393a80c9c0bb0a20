#!/bin/sh
# The campaign without a GPU: a program that stands for paceline writes what it was asked, so that order, budget and
# degradation can be seen. Prints what is wrong and fails, or prints nothing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; cat "$folder/out/campaign.log"; exit 1; }

# Writes a measurement when asked to measure; fails where FAIL says so.
cat >"$folder/paceline" <<'PROGRAM'
#!/bin/sh
echo "$@" >>"$CALLS"
[ "$1" = "${FAIL:-}" ] && exit 5
file=
while [ $# -gt 0 ]; do [ "$1" = -o ] && file=$2; shift; done
echo '{"results": [{"axes": {"device": "t4"}}]}' >"$file"
PROGRAM
chmod +x "$folder/paceline"
export CALLS=$folder/calls PACELINE=$folder/paceline

# Everything in order; training is skipped with a line where there is no GPU.
"$here/campaign.sh" "$folder/out" 400 2>/dev/null || fail "a campaign without training fails"
words=$(cut -d' ' -f1 "$CALLS" | tr '\n' ' ')
[ "$words" = "measure measure calibrate validate " ] || fail "ran: $words"
head -1 "$CALLS" | grep -q -- --quick || fail "does not begin with the quick plan"
grep -q "training in PyTorch: ended with status 5" "$folder/out/campaign.log" || fail "no line about training"

# Without time nothing is measured, and the log says so.
rm -r "$CALLS" "$folder/out"
"$here/campaign.sh" "$folder/out" 5 2>/dev/null && fail "no measurement, but success"
grep -q "quick plan: not begun" "$folder/out/campaign.log" || fail "no line about time"
[ -e "$CALLS" ] && fail "measured without time"

# A failed step does not end the others.
FAIL=calibrate "$here/campaign.sh" "$folder/out" 400 2>/dev/null || fail "a failed fit ends the campaign"
grep -q "^validate" "$CALLS" || fail "no validation after a failed fit"

# Wrong arguments.
"$here/campaign.sh" "$folder/out" soon 2>/dev/null
[ $? -eq 2 ] || fail "a budget that is no number is not refused"
exit 0
