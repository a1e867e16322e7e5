#include "textflag.h"

// func indexPair(p *byte, n, d int, a, b, maskA, maskB byte) int
//
// 32 positions a step. What is left behind the last whole step is looked at
// together with some positions before it, which are known to have nothing.
TEXT ·indexPair(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ d+16(FP), DI
	VPBROADCASTB a+24(FP), Y0
	VPBROADCASTB b+25(FP), Y1
	VPBROADCASTB maskA+26(FP), Y2
	VPBROADCASTB maskB+27(FP), Y3
	ADDQ SI, DI
	XORQ AX, AX
	SUBQ $32, CX // where the last step begins

step:
	VPOR (SI)(AX*1), Y2, Y4
	VPOR (DI)(AX*1), Y3, Y5
	VPCMPEQB Y0, Y4, Y4
	VPCMPEQB Y1, Y5, Y5
	VPAND Y4, Y5, Y4
	VPMOVMSKB Y4, BX
	TESTL BX, BX
	JNE found
	CMPQ AX, CX
	JGE none
	ADDQ $32, AX
	CMPQ AX, CX
	JLE step
	MOVQ CX, AX
	JMP step

found:
	BSFL BX, BX
	ADDQ BX, AX
	VZEROUPPER
	MOVQ AX, ret+32(FP)
	RET

none:
	VZEROUPPER
	MOVQ $-1, ret+32(FP)
	RET
