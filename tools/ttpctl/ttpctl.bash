# SPDX-License-Identifier: GPL-2.0
# bash completion for ttpctl

_ttpctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local i words= object= command= netns=

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-n) netns=${COMP_WORDS[++i]} ;;
		-t|-w|-c|-i|-l) ((i++)) ;;
		-*) ;;
		*)
			if [[ ! $object ]]; then
				object=${COMP_WORDS[i]}
			elif [[ ! $command ]]; then
				command=${COMP_WORDS[i]}
			fi ;;
		esac
	done

	_ttpctl_devs()
	{
		local dir=/sys/class/net

		if [[ $netns ]]; then
			ip -n "$netns" -br link 2>/dev/null | sed 's/[@ ].*//'
		else
			(cd $dir && echo *)
		fi
	}

	case $object${command:+ $command} in
	'')	words='dev peer sock rpc stats param ping monitor info help
			-j -p -s -n -t -V' ;;
	dev|peer|sock|rpc|param)
		case $object in
		dev) words='add set del show' ;;
		peer) words='show flush' ;;
		param) words='show set' ;;
		*) words=show ;;
		esac ;;
	'dev '*)
		words="$(_ttpctl_devs)"
		case $command in
		add|set) words+=' ethertype crc unsched window ack-every
				rto-min rto-max rate backlog overcommit
				incoming tag levels pcp-map announce
				delay-target' ;;
		esac ;;
	'peer '*) words=dev ;;
	'rpc '*) words='dev sock' ;;
	stats*) words="$(_ttpctl_devs) -w" ;;
	'param set') words='dead-timeout max-message max-peers
			max-rpcs-per-peer mem rcvbuf sndbuf' ;;
	'ping '*) words='-c -i -l' ;;
	esac
	case $prev in
	-n) words=$(ip netns list 2>/dev/null | sed 's/ .*//') ;;
	dev) [[ $object == dev && ! $command ]] || words=$(_ttpctl_devs) ;;
	crc|tag) words='on off' ;;
	unsched|window) words=auto ;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _ttpctl ttpctl
