is_done() { prints_nothing wrong_webhooks; }

run() {
  restore_webhooks
  webhooks_are_served
}

undo() { say 'the webhooks are those of the release that runs: nothing to undo'; }
