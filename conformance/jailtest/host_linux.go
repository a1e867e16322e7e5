package jailtest

const platform = NeedUnix | NeedLinux
