# What the steps after it compare with.
remember() { :; }

# A person does it.
run() {
  remember
  say "$instructions"
  if [ -n "$is_checked" ]; then
    say 'Then run upgrade.sh again, which checks it.'
  else
    say "Then: sh $PWD/upgrade.sh --done $step"
  fi
  exit 10
}
has_worked() { :; }
