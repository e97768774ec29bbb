# Runs a program and leaves in a file what it took, in milliseconds: `time.sh FILE PROGRAM ARGS`. Needs bash 5.
times=$1
shift
TIMEFORMAT='%3U %3S'
began=${EPOCHREALTIME/./}
{ time "$@" 2>&3; } 3>&2 2> "$times"
status=$?
ended=${EPOCHREALTIME/./}
read -r user system < "$times"
# "0.047" becomes 47: bash counts in whole numbers, and 10# keeps a leading 0 from meaning octal.
echo "$(((ended - began) / 1000)).$(printf %03d $(((ended - began) % 1000))) $((10#${user/./} + 10#${system/./}))" > "$times"
exit $status
