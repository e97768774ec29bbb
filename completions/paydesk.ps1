# Completes paydesk in PowerShell. In $PROFILE: paydesk completion powershell | Out-String | Invoke-Expression
# Made from the table of commands by `paydesk completion powershell`. Runs nothing of what is typed.

Register-ArgumentCompleter -Native -CommandName paydesk -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $found = @()
    if (-not $wordToComplete.StartsWith('-')) {
        $found = @(switch -CaseSensitive -Exact ($before -join ' ') {
            '' {
                "orders`tList, find, show, refund, capture, create and export orders"
                "refunds`tRefund many orders from a file, and add up what was refunded"
                "undo`tSay what can still be done about the last change"
                "today`tShow the day of the desk: unconfirmed, refunded, waiting, twins"
                "customers`tList, show, find and export customers"
                "checkout`tMake a payment link"
                "journal`tSee what was sent, and clear up what is unconfirmed"
                "report`tWrite an HTML report about the refunds of a period"
                "prove`tWrite one refund, or a period, into a signed file; check one"
                "index`tFind orders at once, with an index on this machine"
                "sender`tLet one service of the team send for all its desks"
                "approvals`tApprove refunds of a team that need a second person"
                "profile`tAdd, check and set up accounts and their keys"
                "simulator`tServe the simulated service, practise on the demo, or reset it"
                "api`tSend any request, with the key and version of a profile"
                "release`tLet a software agent send a plan, once, within an hour"
                "mcp`tLet a software agent read, and propose refunds as a plan"
                "completion`tPrint the script for TAB completion in a shell"
                "help`tHelp of a command or a topic"
            }
            'orders' {
                "list`tList orders, one page at a time"
                "show`tShow one order: its money, refunds and items"
                "find`tFind orders by what they show: a name, a card, an amount, an id"
                "browse`tLook through the newest orders on a screen: show, refund, capture, mark"
                "refund`tRefund an order, one of its charges, or part of a charge"
                "capture`tCapture an order that was authorized earlier"
                "create`tCreate an order, with a checkout or without"
                "export`tExport all orders, charges or refunds of a time range"
                "summary`tAdd up the orders of a period: by status, day, week, month or brand of card"
                "waiting`tCount the authorized orders that wait for their capture, by age"
                "compare`tCompare an invoice list with what was charged"
                "twins`tList orders of a period that somebody may have paid twice"
            }
            'refunds' {
                "plan`tCheck a file of refunds and make a plan of it; sends nothing"
                "apply`tSend the refunds of a plan, each at most once"
                "status`tShow what became of every row of a plan"
                "compare`tCompare a list of orders with what was refunded"
                "receipt`tWrite the words for the buyer about one refund"
                "list`tList the refunds of a period: how much, why, and by whom"
                "summary`tAdd up the refunds of a period: by reason, operator, day or brand of card, and the rate"
            }
            'customers' {
                "list`tList customers, one page at a time"
                "show`tShow one customer"
                "find`tFind customers by name, e-mail, phone or reference"
                "export`tExport all customers"
            }
            'checkout' {
                "create`tCreate a payment link"
            }
            'journal' {
                "list`tList what was sent, and whether it was made"
                "show`tShow one change, its history, and what to do now"
                "reconcile`tRead orders again to clear up unconfirmed changes"
                "settle`tRecord by hand whether an unconfirmed change was made"
                "acknowledge`tClear an alarm, such as a duplicate refund, that somebody has dealt with"
                "verify`tCheck that the journal is whole; repair it"
                "forget`tErase bodies, notes and links of settled changes"
                "archive`tMove old settled changes into a file"
                "export`tWrite the journal into a file, for another machine"
                "import`tImport the journal of another machine"
            }
            'index' {
                "build`tRead all orders into an index on this machine, so that they are found at once"
                "refresh`tBring the index up to date: read new orders, and old ones that may have changed"
                "status`tShow what the index knows, and how old that is"
                "forget`tTake a buyer, old orders or everything out of the index"
                "rekey`tSeal the index with a new key"
            }
            'sender' {
                "init`tMake the file of a sender: accounts, address, certificate"
                "serve`tRun the sender until a signal comes"
                "migrate`tMake the tables of the journal in a database, or print the statements"
                "verify`tCheck every row of the journal of the sender, and what is derived from them"
                "invite`tPrint an invitation to the sender, for one use within a day"
                "members`tList the members, their desks, and when each was last used"
                "limits`tShow the limits of the team; a lead sets them"
                "revoke`tEnd the tokens of a member, or that of one desk"
            }
            'approvals' {
                "list`tList what waits for the approval of a second person"
                "show`tShow a request, with the order as it is now"
                "approve`tApprove the refund or plan of somebody else"
                "reject`tReject a request, or take your own back"
            }
            'profile' {
                "add`tAdd an account: its address, mode and key"
                "list`tList the accounts"
                "show`tShow a profile, where each value comes from, and where files are"
                "use`tMake a profile the default"
                "set`tChange a setting of a profile"
                "key`tReplace the key of a profile"
                "remove`tRemove a profile and its key"
                "purge`tRemove all that paydesk keeps for you on this machine"
                "check`tCheck that a profile reaches its account, by reading only"
            }
            'simulator' {
                "serve`tRun a simulated service on this machine"
                "drill`tPractise seven cases from real life on the demo"
                "reset`tReset the demo to its first state"
            }
            'help' {
                "orders`tList, find, show, refund, capture, create and export orders"
                "refunds`tRefund many orders from a file, and add up what was refunded"
                "undo`tSay what can still be done about the last change"
                "today`tShow the day of the desk: unconfirmed, refunded, waiting, twins"
                "customers`tList, show, find and export customers"
                "checkout`tMake a payment link"
                "journal`tSee what was sent, and clear up what is unconfirmed"
                "report`tWrite an HTML report about the refunds of a period"
                "prove`tWrite one refund, or a period, into a signed file; check one"
                "index`tFind orders at once, with an index on this machine"
                "sender`tLet one service of the team send for all its desks"
                "approvals`tApprove refunds of a team that need a second person"
                "profile`tAdd, check and set up accounts and their keys"
                "simulator`tServe the simulated service, practise on the demo, or reset it"
                "api`tSend any request, with the key and version of a profile"
                "release`tLet a software agent send a plan, once, within an hour"
                "mcp`tLet a software agent read, and propose refunds as a plan"
                "completion`tPrint the script for TAB completion in a shell"
                "commands`tAll commands, options and guides"
                "man`tThe man page"
                "refund`tcharges, parts, twins, what a yes is; and a capture"
                "when-a-reply-is-lost`tunconfirmed, settled by hand, made twice"
                "many-refunds`ta CSV file of refunds, a plan of it, the rest of it"
                "find`tan order or a customer, at once with an index"
                "reports`tsums of refunds and orders, what waits, one HTML file to mail"
                "exports`tall orders, charges or refunds in a file"
                "evidence`trefunds in a signed file that others check"
                "create`tmake an order or a payment link"
                "accounts`tprofiles, keys, limits, several people on one machine"
                "settings`tevery setting of a profile, and the limits of an account"
                "policy`twhat an administrator sets for all users of a machine"
                "team`tone sender for all desks, limits, a second person"
                "scripting`tJSON, errors, idempotency keys, a simulator to test with"
                "agents`tsoftware agents: what they can read, and how they propose"
                "output`tformats, columns, amounts, dates"
                "exit-codes`twhat a script can rely on"
                "environment`tvariables, folders, how to remove every trace"
                "safety`twhat paydesk guarantees, and what it relies on"
                "words`teach concept and its name"
            }
            'help orders' {
                "list`tList orders, one page at a time"
                "show`tShow one order: its money, refunds and items"
                "find`tFind orders by what they show: a name, a card, an amount, an id"
                "browse`tLook through the newest orders on a screen: show, refund, capture, mark"
                "refund`tRefund an order, one of its charges, or part of a charge"
                "capture`tCapture an order that was authorized earlier"
                "create`tCreate an order, with a checkout or without"
                "export`tExport all orders, charges or refunds of a time range"
                "summary`tAdd up the orders of a period: by status, day, week, month or brand of card"
                "waiting`tCount the authorized orders that wait for their capture, by age"
                "compare`tCompare an invoice list with what was charged"
                "twins`tList orders of a period that somebody may have paid twice"
            }
            'help refunds' {
                "plan`tCheck a file of refunds and make a plan of it; sends nothing"
                "apply`tSend the refunds of a plan, each at most once"
                "status`tShow what became of every row of a plan"
                "compare`tCompare a list of orders with what was refunded"
                "receipt`tWrite the words for the buyer about one refund"
                "list`tList the refunds of a period: how much, why, and by whom"
                "summary`tAdd up the refunds of a period: by reason, operator, day or brand of card, and the rate"
            }
            'help customers' {
                "list`tList customers, one page at a time"
                "show`tShow one customer"
                "find`tFind customers by name, e-mail, phone or reference"
                "export`tExport all customers"
            }
            'help checkout' {
                "create`tCreate a payment link"
            }
            'help journal' {
                "list`tList what was sent, and whether it was made"
                "show`tShow one change, its history, and what to do now"
                "reconcile`tRead orders again to clear up unconfirmed changes"
                "settle`tRecord by hand whether an unconfirmed change was made"
                "acknowledge`tClear an alarm, such as a duplicate refund, that somebody has dealt with"
                "verify`tCheck that the journal is whole; repair it"
                "forget`tErase bodies, notes and links of settled changes"
                "archive`tMove old settled changes into a file"
                "export`tWrite the journal into a file, for another machine"
                "import`tImport the journal of another machine"
            }
            'help index' {
                "build`tRead all orders into an index on this machine, so that they are found at once"
                "refresh`tBring the index up to date: read new orders, and old ones that may have changed"
                "status`tShow what the index knows, and how old that is"
                "forget`tTake a buyer, old orders or everything out of the index"
                "rekey`tSeal the index with a new key"
            }
            'help sender' {
                "init`tMake the file of a sender: accounts, address, certificate"
                "serve`tRun the sender until a signal comes"
                "migrate`tMake the tables of the journal in a database, or print the statements"
                "verify`tCheck every row of the journal of the sender, and what is derived from them"
                "invite`tPrint an invitation to the sender, for one use within a day"
                "members`tList the members, their desks, and when each was last used"
                "limits`tShow the limits of the team; a lead sets them"
                "revoke`tEnd the tokens of a member, or that of one desk"
            }
            'help approvals' {
                "list`tList what waits for the approval of a second person"
                "show`tShow a request, with the order as it is now"
                "approve`tApprove the refund or plan of somebody else"
                "reject`tReject a request, or take your own back"
            }
            'help profile' {
                "add`tAdd an account: its address, mode and key"
                "list`tList the accounts"
                "show`tShow a profile, where each value comes from, and where files are"
                "use`tMake a profile the default"
                "set`tChange a setting of a profile"
                "key`tReplace the key of a profile"
                "remove`tRemove a profile and its key"
                "purge`tRemove all that paydesk keeps for you on this machine"
                "check`tCheck that a profile reaches its account, by reading only"
            }
            'help simulator' {
                "serve`tRun a simulated service on this machine"
                "drill`tPractise seven cases from real life on the demo"
                "reset`tReset the demo to its first state"
            }
        })
    }
    if ($found.Count -eq 0) {
        $found = @(& paydesk __complete powershell $before.Count @before $wordToComplete 2>$null)
    }
    $found | ForEach-Object {
        $value, $text = $_ -split "`t", 2
        if (-not $text) { $text = $value }
        if ($value.StartsWith($wordToComplete)) {
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
        }
    }
}
