package jailtest

const platform = NeedWindows
