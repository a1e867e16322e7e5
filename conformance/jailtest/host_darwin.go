package jailtest

const platform = NeedUnix | NeedDarwin
