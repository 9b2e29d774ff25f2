# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mcpcli_global_optspecs
    string join \n output= json color= q/quiet v/verbose s/server= config= transport= protocol= no-cache message-url= H/header= bearer= e/env= cwd= timeout= max-time= connect-timeout= retry= cacert= cert= key= insecure proxy= max-message-size= max-pages= roots= answer= max-rounds= client-capabilities= log-level= trace= strict expect= error-pattern= h/help V/version
end

function __fish_mcpcli_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_mcpcli_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_mcpcli_using_subcommand
    set -l cmd (__fish_mcpcli_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c mcpcli -n "__fish_mcpcli_needs_command" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_needs_command" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -s V -l version -d 'Print version'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "list" -d 'List what the server offers: everything, or one kind; all pages'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "describe" -d 'Show one tool, prompt, resource or template in full, with an example to copy'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "call" -d 'Call a tool'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "read" -d 'Read a resource'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "get" -d 'Get a prompt'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "complete" -d 'Complete an argument of a prompt or of a resource template'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "info" -d 'Show the handshake: server, version, capabilities, instructions'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "ping" -d 'Ask for a sign of life'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "watch" -d 'Show notifications as they come: changes of lists, resources and tasks'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "task" -d 'Ask for, wait for, cancel or list tasks that `call --task` made'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "request" -d 'Send any JSON-RPC request and print its result'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "explain" -d 'Explain an error code, a category, a warning or a reason'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "demo" -d 'Serve the built-in server to others, with faults on demand'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c mcpcli -n "__fish_mcpcli_needs_command" -f -a "man" -d 'Print the manual page, or write all of them to a directory'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand describe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l arg -d 'The same, for scripts; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l args -d 'All arguments as a JSON object; @FILE reads a file, - reads stdin' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l output-dir -d 'Write binary blocks to files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l task-ttl -d 'How long the server shall keep the task (2025-11-25 only)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l dry-run -d 'Print the request instead of sending it'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l no-check -d 'Do not look it up and do not check the arguments; send'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l task -d 'Make a task of the call, if the server has tasks, and wait for its end'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l detach -d 'Make a task of the call and do not wait; `task get ID` asks for it later'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand call" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l output-dir -d 'Write blobs to files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l arg -d 'The same, for scripts; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l args -d 'All arguments as a JSON object; @FILE reads a file, - reads stdin' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l dry-run -d 'Print the request instead of sending it'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l no-check -d 'Do not look it up and do not check the arguments; send'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l prompt -d 'The prompt that has the argument' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l resource -d 'The URI template that has the argument' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l context -d 'An argument that is known already; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand complete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand info" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand ping" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l task -d 'Tell where this task stands; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l count -d 'End after so many notifications' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l for -d 'End after this time, counted from the server\'s agreement on' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l tools -d 'Tell when the list of tools changes'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l prompts -d 'Tell when the list of prompts changes'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l resources -d 'Tell when the list of resources changes'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l wait -d 'With get: wait for its end, and answer what it asks'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand task" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l params -d 'Its params; @FILE reads a file, - reads stdin' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -s s -l server -d 'A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary (environment: MCPCLI_SERVER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l config -d 'Read named servers from this file instead of the nearest .mcp.json' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l transport -d 'Over which transport [default: auto]' -r -f -a "auto\t'Streamable HTTP, then HTTP+SSE by the rule of the specification'
http\t'Streamable HTTP (2025-03-26 and later)'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of a process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l protocol -d 'Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not [default: auto]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l message-url -d 'Where HTTP+SSE posts to, instead of the endpoint that the server announces' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -s H -l header -d 'Send this HTTP header; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l bearer -d 'Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -s e -l env -d 'Set this variable for a server program; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l cwd -d 'The working directory of a server program' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l timeout -d 'How long nothing may happen; progress resets it, 0 is no limit [default: 30s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l max-time -d 'How long the whole command may take [default: no limit]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l connect-timeout -d 'How long DNS, TCP and TLS may take together [default: 10s]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l retry -d 'Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l cacert -d 'Trust the certificates in this PEM file too' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l cert -d 'Present this client certificate (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l key -d 'The key of --cert, if it is in another file (PEM)' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l proxy -d 'Use this proxy instead of the one that the environment names' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l max-message-size -d 'The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l max-pages -d 'How many pages of a list are read at most [default: 1000]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l roots -d 'A root to tell the server of: a path or a file:// URI; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l answer -d 'Answer a question of the server; can be repeated, the last answer serves for all that follow' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l max-rounds -d 'How many times a result may ask for input before it is given up [default: 10]' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l client-capabilities -d 'Declare exactly these client capabilities, whatever can be answered: JSON or @FILE' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l log-level -d 'Ask for log messages from this level on' -r -f -a "debug\t'Everything'
info\t'Ordinary messages'
notice\t'Significant ones'
warning\t'Warnings'
error\t'Errors'
critical\t'Critical conditions'
alert\t'What must be acted on at once'
emergency\t'What makes the system unusable'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l trace -d 'Write everything that crosses the border to this file, one JSON object a line, secrets masked' -r -F
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l expect -d 'Exit 0 if the outcome has this category, else 9' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l error-pattern -d 'A text result that matches this regular expression is a tool error, whatever isError says' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l dry-run -d 'Print the request instead of sending it'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l no-cache -d 'Neither use nor keep what was found out about a server\'s version'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l insecure -d 'Do not verify certificates'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -l strict -d 'Take warnings about the server for protocol violations (exit 7)'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand request" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand explain" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand explain" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand explain" -l all -d 'Explain everything there is'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand explain" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand explain" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand explain" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l port -d 'The port; 0 takes a free one' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l host -d 'The address to listen on; anything but loopback is open to others' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l transport -d 'Over which transport' -r -f -a "http\t'Streamable HTTP'
sse\t'HTTP+SSE (2024-11-05)'
stdio\t'The standard streams of this process'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l protocol -d 'Which protocol versions to speak' -r -f -a "auto\t'All of them'
legacy\t'Up to 2025-11-25, by `initialize`'
modern\t'Only 2026-07-28'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l fault -d 'Misbehave in this way; can be repeated' -r
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l list-faults -d 'Print the table of faults, with the outcome that each must give'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand completions" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand completions" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand completions" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand completions" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand completions" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand man" -l dir -d 'Write a page for every command to this directory' -r -f -a "(__fish_complete_directories)"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand man" -l output -d 'In which form the outcome is shown [default: human]' -r -f -a "human\t'Designed to be read; in a pipe texts are byte-exact'
json\t'One document for every outcome'
raw\t'The result as it came over the wire'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand man" -l color -d 'When to colour [default: auto]' -r -f -a "auto\t'On terminals; NO_COLOR and CLICOLOR_FORCE are minded'
always\t'Also in pipes'
never\t'Nowhere'"
complete -c mcpcli -n "__fish_mcpcli_using_subcommand man" -l json -d 'The same as --output json'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand man" -s q -l quiet -d 'Hide logs, progress, hints and the server\'s stderr; never a failure or a warning'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand man" -s v -l verbose -d 'Show the handshake, HTTP exchanges and notifications; twice: every message'
complete -c mcpcli -n "__fish_mcpcli_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
