# The output goes to a file in memory, so that what the command has started cannot keep this script waiting.
output=$run/token-output leftovers="$leftovers $output"
read_token() {
  command -v timeout >/dev/null 2>&1 || { say 'timeout is not installed'; return 127; }
  status=0
  mkdir -p "$run" && chmod 0700 "$run" || return
  (umask 077; exec timeout -s KILL "$token_seconds" sh -c "$token_command" </dev/null > "$output") || status=$?
  token=$(cat "$output")
  rm -f "$output"
  case $status in
    0) return ;;
    124 | 137) say "the command for the token has not ended in $token_seconds s" ;;
    *) say "the command for the token failed with status $status" ;;
  esac
  return 66
}
