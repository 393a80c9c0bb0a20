#!/bin/sh
# Everything worth measuring on a machine with a GPU that is only there for minutes and has no network:
#
#   microbench/campaign.sh OUT [SECONDS]
#
# builds what the machine has compilers for (or takes PACELINE=path of a program that is built), then: the quick
# plan, real training in PyTorch (first ResNet-50, AlexNet, VGG-16, LSTM, BERT-Base, GPT-2 small, eager, two
# precisions; three compiled), the kernels of PyTorch, a fit and the comparison; then, as long as SECONDS (default
# 480) last, the full plan and larger training runs. Every step is skipped with a line if it cannot run, and run
# again it continues where it ended. OUT then holds
#
#   measurements.json  recording.json  recording-compiled.json  parameters.json  profiles/  validation.md
#   validation-compiled.md  campaign.log
#
# small files that can be committed to traces/recorded and calibration/fitted (validation/recorders/ship.py first).
set -u
usage="usage: microbench/campaign.sh OUT [SECONDS]"
out=${1:?$usage}
seconds=${2:-480}
case $seconds in '' | *[!0-9]*) echo "$usage" >&2; exit 2 ;; esac
mkdir -p "$out" || exit 3
out=$(cd "$out" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
log=$out/campaign.log
reason=
begin=$(date +%s)

say() { echo "$(($(date +%s) - begin)) s: $*" | tee -a "$log" >&2; }
left() { echo $((seconds - ($(date +%s) - begin))); }
# step NAME LEAST COMMAND...: runs it unless fewer than LEAST seconds are left; never ends the campaign, and leaves in
# `reason` why it did not work.
step() {
  name=$1
  least=$2
  shift 2
  if [ "$(left)" -lt "$least" ]; then
    reason="not begun, $(left) s are left"
    say "$name: $reason"
    return 1
  fi
  say "$name"
  "$@" >>"$log" 2>&1 && return 0
  status=$?
  reason=$(tail -n 1 "$log")
  say "$name: ended with status $status (see $log)"
  return 1
}
at_most() { [ "$(left)" -lt "$1" ] && left || echo "$1"; }

program=${PACELINE:-}
if [ -z "$program" ]; then
  program=$root/build/release/cli/paceline
  if [ ! -x "$program" ]; then
    # The build's time counts too; machine code for this GPU only.
    cd "$root" || exit 3
    step configure 60 cmake --preset release -DCMAKE_CUDA_ARCHITECTURES=native
    step build 60 cmake --build --preset release --target paceline
  fi
fi
if [ ! -x "$program" ]; then
  say "no program: build it, or give PACELINE=path"
  exit 5
fi

measure() { "$program" measure --device cuda --append -o "$out/measurements.json" "$@"; }
recorders=$root/validation/recorders/gpu

step "quick plan" 20 measure --quick --budget "$(at_most 100) s"
# The catalog's name of the GPU, as the measurements have it.
device=
[ -e "$out/measurements.json" ] && device=$("$python" -c "
import json, sys
results = json.load(open(sys.argv[1]))['results']
print(results[0]['axes']['device'])" "$out/measurements.json" 2>>"$log")
if [ -z "$device" ]; then
  say "no measurement of a GPU, so nothing more can be done: ${reason:-the file names none}"
  exit 5
fi
say "GPU: $device"

step "training in PyTorch" 20 "$python" "$recorders/record_gpu.py" --device "$device" \
  --budget "$(at_most 150)" --profiles "$out/profiles" -o "$out/recording.json"
step "compiled training" 30 "$python" "$recorders/record_gpu.py" --device "$device" --plan compiled \
  --budget "$(at_most 60)" --profiles "$out/profiles" -o "$out/recording-compiled.json"
step "kernels of PyTorch" 15 "$python" "$recorders/measure_pytorch.py" --device "$device" \
  --budget "$(at_most 40)" "$out/measurements.json"
step "full plan" 60 measure --budget "$(at_most 440) s"
step "more training" 30 "$python" "$recorders/record_gpu.py" --device "$device" --plan full \
  --budget "$(left)" --profiles "$out/profiles" -o "$out/recording.json"

# These need the processor only, so they run whatever is left.
seconds=$(($(date +%s) - begin + 600))
step calibrate 0 "$program" calibrate "$out/measurements.json" --report -o "$out/parameters.json"
step validate 0 "$program" validate --recording "$out/recording.json" --device "$out/parameters.json" --md \
  -o "$out/validation.md"
[ -e "$out/recording-compiled.json" ] && step "validate compiled training" 0 "$program" validate \
  --recording "$out/recording-compiled.json" --device "$out/parameters.json" --md -o "$out/validation-compiled.md"
say "done: $(cd "$out" && ls | tr '\n' ' ')"
