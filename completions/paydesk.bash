# Completes paydesk in bash. In ~/.bashrc: eval "$(paydesk completion bash)"
# Made from the table of commands by `paydesk completion bash`. Runs nothing of what is typed.

_paydesk() {
  local IFS=$' \t\n'
  local current="${COMP_WORDS[COMP_CWORD]-}" typed="${COMP_WORDS[*]:1:COMP_CWORD-1}" words='' word answer code=0
  COMPREPLY=()
  case "$current" in -*) typed='-' ;; esac
  case "$typed" in
    '') words='orders refunds undo today customers checkout journal report prove index sender approvals profile simulator api release mcp completion help' ;;
    'orders') words='list show find browse refund capture create export summary waiting compare twins' ;;
    'refunds') words='plan apply status compare receipt list summary' ;;
    'customers') words='list show find export' ;;
    'checkout') words='create' ;;
    'journal') words='list show reconcile settle acknowledge verify forget archive export import' ;;
    'index') words='build refresh status forget rekey' ;;
    'sender') words='init serve migrate verify invite members limits revoke' ;;
    'approvals') words='list show approve reject' ;;
    'profile') words='add list show use set key remove purge check' ;;
    'simulator') words='serve drill reset' ;;
    'help') words='orders refunds undo today customers checkout journal report prove index sender approvals profile simulator api release mcp completion commands man refund when-a-reply-is-lost many-refunds find reports exports evidence create accounts settings policy team scripting agents output exit-codes environment safety words' ;;
    'help orders') words='list show find browse refund capture create export summary waiting compare twins' ;;
    'help refunds') words='plan apply status compare receipt list summary' ;;
    'help customers') words='list show find export' ;;
    'help checkout') words='create' ;;
    'help journal') words='list show reconcile settle acknowledge verify forget archive export import' ;;
    'help index') words='build refresh status forget rekey' ;;
    'help sender') words='init serve migrate verify invite members limits revoke' ;;
    'help approvals') words='list show approve reject' ;;
    'help profile') words='add list show use set key remove purge check' ;;
    'help simulator') words='serve drill reset' ;;
  esac
  if [[ -n $words ]]; then
    for word in $words; do
      [[ $word == "$current"* ]] && COMPREPLY+=("$word")
    done
    return 0
  fi
  answer="$(command paydesk __complete bash "$((COMP_CWORD - 1))" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)" || code=$?
  if [[ $code -eq 10 ]]; then
    compopt -o default 2>/dev/null
  elif [[ -n $answer ]]; then
    while IFS= read -r word; do COMPREPLY+=("$word"); done <<<"$answer"
    compopt -o nosort 2>/dev/null
  fi
  return 0
}

complete -F _paydesk paydesk
