# Completes paydesk in fish. Once: paydesk completion fish > ~/.config/fish/completions/paydesk.fish
# Made from the table of commands by `paydesk completion fish`. Runs nothing of what is typed.

function __paydesk_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -e before[1]
    if not string match -q -- '-*' "$current"
        switch "$before"
            case ''
                printf '%s\t%s\n' \
                    orders 'List, find, show, refund, capture, create and export orders' \
                    refunds 'Refund many orders from a file, and add up what was refunded' \
                    undo 'Say what can still be done about the last change' \
                    today 'Show the day of the desk: unconfirmed, refunded, waiting, twins' \
                    customers 'List, show, find and export customers' \
                    checkout 'Make a payment link' \
                    journal 'See what was sent, and clear up what is unconfirmed' \
                    report 'Write an HTML report about the refunds of a period' \
                    prove 'Write one refund, or a period, into a signed file; check one' \
                    index 'Find orders at once, with an index on this machine' \
                    sender 'Let one service of the team send for all its desks' \
                    approvals 'Approve refunds of a team that need a second person' \
                    profile 'Add, check and set up accounts and their keys' \
                    simulator 'Serve the simulated service, practise on the demo, or reset it' \
                    api 'Send any request, with the key and version of a profile' \
                    release 'Let a software agent send a plan, once, within an hour' \
                    mcp 'Let a software agent read, and propose refunds as a plan' \
                    completion 'Print the script for TAB completion in a shell' \
                    help 'Help of a command or a topic'
                return
            case 'orders'
                printf '%s\t%s\n' \
                    list 'List orders, one page at a time' \
                    show 'Show one order: its money, refunds and items' \
                    find 'Find orders by what they show: a name, a card, an amount, an id' \
                    browse 'Look through the newest orders on a screen: show, refund, capture, mark' \
                    refund 'Refund an order, one of its charges, or part of a charge' \
                    capture 'Capture an order that was authorized earlier' \
                    create 'Create an order, with a checkout or without' \
                    export 'Export all orders, charges or refunds of a time range' \
                    summary 'Add up the orders of a period: by status, day, week, month or brand of card' \
                    waiting 'Count the authorized orders that wait for their capture, by age' \
                    compare 'Compare an invoice list with what was charged' \
                    twins 'List orders of a period that somebody may have paid twice'
                return
            case 'refunds'
                printf '%s\t%s\n' \
                    plan 'Check a file of refunds and make a plan of it; sends nothing' \
                    apply 'Send the refunds of a plan, each at most once' \
                    status 'Show what became of every row of a plan' \
                    compare 'Compare a list of orders with what was refunded' \
                    receipt 'Write the words for the buyer about one refund' \
                    list 'List the refunds of a period: how much, why, and by whom' \
                    summary 'Add up the refunds of a period: by reason, operator, day or brand of card, and the rate'
                return
            case 'customers'
                printf '%s\t%s\n' \
                    list 'List customers, one page at a time' \
                    show 'Show one customer' \
                    find 'Find customers by name, e-mail, phone or reference' \
                    export 'Export all customers'
                return
            case 'checkout'
                printf '%s\t%s\n' \
                    create 'Create a payment link'
                return
            case 'journal'
                printf '%s\t%s\n' \
                    list 'List what was sent, and whether it was made' \
                    show 'Show one change, its history, and what to do now' \
                    reconcile 'Read orders again to clear up unconfirmed changes' \
                    settle 'Record by hand whether an unconfirmed change was made' \
                    acknowledge 'Clear an alarm, such as a duplicate refund, that somebody has dealt with' \
                    verify 'Check that the journal is whole; repair it' \
                    forget 'Erase bodies, notes and links of settled changes' \
                    archive 'Move old settled changes into a file' \
                    export 'Write the journal into a file, for another machine' \
                    import 'Import the journal of another machine'
                return
            case 'index'
                printf '%s\t%s\n' \
                    build 'Read all orders into an index on this machine, so that they are found at once' \
                    refresh 'Bring the index up to date: read new orders, and old ones that may have changed' \
                    status 'Show what the index knows, and how old that is' \
                    forget 'Take a buyer, old orders or everything out of the index' \
                    rekey 'Seal the index with a new key'
                return
            case 'sender'
                printf '%s\t%s\n' \
                    init 'Make the file of a sender: accounts, address, certificate' \
                    serve 'Run the sender until a signal comes' \
                    migrate 'Make the tables of the journal in a database, or print the statements' \
                    verify 'Check every row of the journal of the sender, and what is derived from them' \
                    invite 'Print an invitation to the sender, for one use within a day' \
                    members 'List the members, their desks, and when each was last used' \
                    limits 'Show the limits of the team; a lead sets them' \
                    revoke 'End the tokens of a member, or that of one desk'
                return
            case 'approvals'
                printf '%s\t%s\n' \
                    list 'List what waits for the approval of a second person' \
                    show 'Show a request, with the order as it is now' \
                    approve 'Approve the refund or plan of somebody else' \
                    reject 'Reject a request, or take your own back'
                return
            case 'profile'
                printf '%s\t%s\n' \
                    add 'Add an account: its address, mode and key' \
                    list 'List the accounts' \
                    show 'Show a profile, where each value comes from, and where files are' \
                    use 'Make a profile the default' \
                    set 'Change a setting of a profile' \
                    key 'Replace the key of a profile' \
                    remove 'Remove a profile and its key' \
                    purge 'Remove all that paydesk keeps for you on this machine' \
                    check 'Check that a profile reaches its account, by reading only'
                return
            case 'simulator'
                printf '%s\t%s\n' \
                    serve 'Run a simulated service on this machine' \
                    drill 'Practise seven cases from real life on the demo' \
                    reset 'Reset the demo to its first state'
                return
            case 'help'
                printf '%s\t%s\n' \
                    orders 'List, find, show, refund, capture, create and export orders' \
                    refunds 'Refund many orders from a file, and add up what was refunded' \
                    undo 'Say what can still be done about the last change' \
                    today 'Show the day of the desk: unconfirmed, refunded, waiting, twins' \
                    customers 'List, show, find and export customers' \
                    checkout 'Make a payment link' \
                    journal 'See what was sent, and clear up what is unconfirmed' \
                    report 'Write an HTML report about the refunds of a period' \
                    prove 'Write one refund, or a period, into a signed file; check one' \
                    index 'Find orders at once, with an index on this machine' \
                    sender 'Let one service of the team send for all its desks' \
                    approvals 'Approve refunds of a team that need a second person' \
                    profile 'Add, check and set up accounts and their keys' \
                    simulator 'Serve the simulated service, practise on the demo, or reset it' \
                    api 'Send any request, with the key and version of a profile' \
                    release 'Let a software agent send a plan, once, within an hour' \
                    mcp 'Let a software agent read, and propose refunds as a plan' \
                    completion 'Print the script for TAB completion in a shell' \
                    commands 'All commands, options and guides' \
                    man 'The man page' \
                    refund 'charges, parts, twins, what a yes is; and a capture' \
                    when-a-reply-is-lost 'unconfirmed, settled by hand, made twice' \
                    many-refunds 'a CSV file of refunds, a plan of it, the rest of it' \
                    find 'an order or a customer, at once with an index' \
                    reports 'sums of refunds and orders, what waits, one HTML file to mail' \
                    exports 'all orders, charges or refunds in a file' \
                    evidence 'refunds in a signed file that others check' \
                    create 'make an order or a payment link' \
                    accounts 'profiles, keys, limits, several people on one machine' \
                    settings 'every setting of a profile, and the limits of an account' \
                    policy 'what an administrator sets for all users of a machine' \
                    team 'one sender for all desks, limits, a second person' \
                    scripting 'JSON, errors, idempotency keys, a simulator to test with' \
                    agents 'software agents: what they can read, and how they propose' \
                    output 'formats, columns, amounts, dates' \
                    exit-codes 'what a script can rely on' \
                    environment 'variables, folders, how to remove every trace' \
                    safety 'what paydesk guarantees, and what it relies on' \
                    words 'each concept and its name'
                return
            case 'help orders'
                printf '%s\t%s\n' \
                    list 'List orders, one page at a time' \
                    show 'Show one order: its money, refunds and items' \
                    find 'Find orders by what they show: a name, a card, an amount, an id' \
                    browse 'Look through the newest orders on a screen: show, refund, capture, mark' \
                    refund 'Refund an order, one of its charges, or part of a charge' \
                    capture 'Capture an order that was authorized earlier' \
                    create 'Create an order, with a checkout or without' \
                    export 'Export all orders, charges or refunds of a time range' \
                    summary 'Add up the orders of a period: by status, day, week, month or brand of card' \
                    waiting 'Count the authorized orders that wait for their capture, by age' \
                    compare 'Compare an invoice list with what was charged' \
                    twins 'List orders of a period that somebody may have paid twice'
                return
            case 'help refunds'
                printf '%s\t%s\n' \
                    plan 'Check a file of refunds and make a plan of it; sends nothing' \
                    apply 'Send the refunds of a plan, each at most once' \
                    status 'Show what became of every row of a plan' \
                    compare 'Compare a list of orders with what was refunded' \
                    receipt 'Write the words for the buyer about one refund' \
                    list 'List the refunds of a period: how much, why, and by whom' \
                    summary 'Add up the refunds of a period: by reason, operator, day or brand of card, and the rate'
                return
            case 'help customers'
                printf '%s\t%s\n' \
                    list 'List customers, one page at a time' \
                    show 'Show one customer' \
                    find 'Find customers by name, e-mail, phone or reference' \
                    export 'Export all customers'
                return
            case 'help checkout'
                printf '%s\t%s\n' \
                    create 'Create a payment link'
                return
            case 'help journal'
                printf '%s\t%s\n' \
                    list 'List what was sent, and whether it was made' \
                    show 'Show one change, its history, and what to do now' \
                    reconcile 'Read orders again to clear up unconfirmed changes' \
                    settle 'Record by hand whether an unconfirmed change was made' \
                    acknowledge 'Clear an alarm, such as a duplicate refund, that somebody has dealt with' \
                    verify 'Check that the journal is whole; repair it' \
                    forget 'Erase bodies, notes and links of settled changes' \
                    archive 'Move old settled changes into a file' \
                    export 'Write the journal into a file, for another machine' \
                    import 'Import the journal of another machine'
                return
            case 'help index'
                printf '%s\t%s\n' \
                    build 'Read all orders into an index on this machine, so that they are found at once' \
                    refresh 'Bring the index up to date: read new orders, and old ones that may have changed' \
                    status 'Show what the index knows, and how old that is' \
                    forget 'Take a buyer, old orders or everything out of the index' \
                    rekey 'Seal the index with a new key'
                return
            case 'help sender'
                printf '%s\t%s\n' \
                    init 'Make the file of a sender: accounts, address, certificate' \
                    serve 'Run the sender until a signal comes' \
                    migrate 'Make the tables of the journal in a database, or print the statements' \
                    verify 'Check every row of the journal of the sender, and what is derived from them' \
                    invite 'Print an invitation to the sender, for one use within a day' \
                    members 'List the members, their desks, and when each was last used' \
                    limits 'Show the limits of the team; a lead sets them' \
                    revoke 'End the tokens of a member, or that of one desk'
                return
            case 'help approvals'
                printf '%s\t%s\n' \
                    list 'List what waits for the approval of a second person' \
                    show 'Show a request, with the order as it is now' \
                    approve 'Approve the refund or plan of somebody else' \
                    reject 'Reject a request, or take your own back'
                return
            case 'help profile'
                printf '%s\t%s\n' \
                    add 'Add an account: its address, mode and key' \
                    list 'List the accounts' \
                    show 'Show a profile, where each value comes from, and where files are' \
                    use 'Make a profile the default' \
                    set 'Change a setting of a profile' \
                    key 'Replace the key of a profile' \
                    remove 'Remove a profile and its key' \
                    purge 'Remove all that paydesk keeps for you on this machine' \
                    check 'Check that a profile reaches its account, by reading only'
                return
            case 'help simulator'
                printf '%s\t%s\n' \
                    serve 'Run a simulated service on this machine' \
                    drill 'Practise seven cases from real life on the demo' \
                    reset 'Reset the demo to its first state'
                return
        end
    end
    set -l answer (command paydesk __complete fish (count $before) $before "$current" 2>/dev/null </dev/null)
    if test $status -eq 10
        __fish_complete_path "$current"
    else
        printf '%s\n' $answer
    end
end

complete -c paydesk -e
complete -c paydesk -f -k -a '(__paydesk_complete)'
