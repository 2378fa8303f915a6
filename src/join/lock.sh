# One run at a time. The lock names a process and its start: a killed one holds nothing, and exec keeps it.
began() { read -r stat < "/proc/$1/stat" && set -- ${stat##*\)} && echo "${20-}"; }
lock() {
  mkdir -p "$run" && chmod 0700 "$run" && own="$$ $(began $$)" || return 0
  for _ in 1 2 3; do
    (set -C; echo "$own" > "$run/lock") 2>/dev/null && return
    holder=$(cat "$run/lock" 2>/dev/null) pid=${holder%% *}
    [ "$holder" != "$own" ] || return 0
    [ "$holder" != "$pid $(began "$pid" 2>/dev/null)" ] ||
      { say "process $pid is joining this machine already"; exit 75; }
    rm -f "$run/lock"
  done
}
