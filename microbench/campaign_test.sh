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
grep -q "nothing more can be done: not begun, . s are left" "$folder/out/campaign.log" || fail "does not say why"
[ -e "$CALLS" ] && fail "measured without time"

# Without a GPU it ends with what the program said, in a folder that was not there.
cat >"$folder/no-gpu" <<'PROGRAM'
#!/bin/sh
echo "paceline: cannot measure a GPU here: no NVIDIA driver is installed" >&2
exit 5
PROGRAM
chmod +x "$folder/no-gpu"
(cd "$folder" && PACELINE=$folder/no-gpu "$here/campaign.sh" new 400 2>"$folder/said")
[ $? -eq 5 ] || fail "a machine without a GPU does not end with status 5"
tail -1 "$folder/said" | grep -q "nothing more can be done: paceline: cannot measure a GPU here: no NVIDIA driver" ||
  fail "does not say what is missing: $(cat "$folder/said")"
[ "$(ls "$folder/new")" = campaign.log ] || fail "leaves more than its log: $(ls "$folder/new")"

# A failed step does not end the others.
FAIL=calibrate "$here/campaign.sh" "$folder/out" 400 2>/dev/null || fail "a failed fit ends the campaign"
grep -q "^validate" "$CALLS" || fail "no validation after a failed fit"

# With a GPU that trains: a python that stands for it runs what reads files and writes what records.
cat >"$folder/python" <<'PROGRAM'
#!/bin/sh
[ "$1" = -c ] && exec python3 "$@"
echo "$(basename "$1") $*" >>"$CALLS"
while [ $# -gt 1 ]; do [ "$1" = -o ] && echo "{}" >"$2"; shift; done
exit 0
PROGRAM
chmod +x "$folder/python"
steps() { sed -e 's/ .*--plan \([a-z]*\).*/:\1/' -e 's/ .*--quick.*/:quick/' -e 's/ .*//' "$CALLS" | tr '\n' ' '; }
campaign() { rm -f "$CALLS"; PYTHON=$folder/python "$here/campaign.sh" "$folder/out" "$1" 2>/dev/null || fail "fails with $1 s"; }

# With time for all: quick plan, training, compiled training, kernels of PyTorch, then the full plan and the rest.
rm -rf "$folder/out"
campaign 480
[ "$(steps)" = "measure:quick record_gpu.py record_gpu.py:compiled measure_pytorch.py measure record_gpu.py:full \
calibrate validate validate " ] || fail "steps: $(steps)"
for file in measurements.json recording.json recording-compiled.json parameters.json validation.md \
  validation-compiled.md campaign.log; do
  [ -e "$folder/out/$file" ] || fail "no $file"
done
grep -q "device t4" "$CALLS" || fail "the recorders do not get the name of the GPU"

# With less, what is most informative is done, the rest named as not begun, and what there is is fitted.
rm -rf "$folder/out"
campaign 25
[ "$(steps)" = "measure:quick record_gpu.py measure_pytorch.py calibrate validate " ] || fail "steps in 25 s: $(steps)"
for step in "compiled training" "full plan" "more training"; do
  grep -q "$step: not begun" "$folder/out/campaign.log" || fail "no line about $step"
done

# Run again it continues: the same files, none begun anew.
campaign 480
grep "^measure " "$CALLS" | grep -vq -- --append && fail "begins measurements anew"
[ "$(grep -c "$folder/out/recording.json" "$CALLS")" = 3 ] || fail "records elsewhere: $(cat "$CALLS")"

# Wrong arguments.
"$here/campaign.sh" "$folder/out" soon 2>/dev/null
[ $? -eq 2 ] || fail "a budget that is no number is not refused"
exit 0
