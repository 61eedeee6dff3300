package blocks

import "github.com/llamakit/llamakit/engine/graph"

// Conv is a short causal convolution of every channel by itself.
type Conv struct {
	W    []float32 // (channels, Taps), the newest row's last
	Bias []float32 // (channels); nil: none
	Taps int
}

// Apply records the convolution.
func (c *Conv) Apply(b *graph.Builder, x *graph.Tensor) *graph.Tensor {
	return b.Name(b.Conv(x, c.W, c.Bias, c.Taps), "conv_output")
}

// Mamba is a selective state space layer (Gu and Dao 2023, arXiv:2312.00752, section 3.4):
//
//	x, z = InX·h, InZ·h;  x = silu(conv(x))
//	Δ, B, C = XDt·x, XB·x, XC·x;  Δ = softplus(Dt·Δ)
//	s = exp(Δ A) s + Δ x ⊗ B;  y = s C + D x
//	Out·(silu(z) ⊙ y)
//
// Every channel has a step Δ of its own and State values s.
type Mamba struct {
	InX, InZ    graph.Linear // to the channels
	Conv        Conv
	XDt, XB, XC graph.Linear // to rank, State and State columns
	Norm        *StepNorm    // nil: none
	Dt          graph.Linear // rank to the channels, with bias
	Scan        graph.ScanSpec
	Out         graph.Linear
}

// Apply records the layer.
func (m *Mamba) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	x, z := b.Linear(h, m.InX), b.Linear(h, m.InZ)
	x = b.Activate(m.Conv.Apply(b, x), graph.SiLU)
	dt, bb, c := b.Linear(x, m.XDt), b.Linear(x, m.XB), b.Linear(x, m.XC)
	if m.Norm != nil {
		dt, bb, c = m.Norm.Apply(b, dt, bb, c)
	}
	dt = b.Activate(b.Linear(dt, m.Dt), graph.Softplus)
	y := b.Name(b.Scan(x, dt, bb, c, m.Scan), "mamba_ssm")
	return b.Name(b.Linear(b.GLU(graph.SiLU, z, y), m.Out), "mamba_out")
}

// StepNorm are norms of what a row chooses: its step, B and C (Jamba: Lieber et al. 2024, arXiv:2403.19887, section 6.4).
type StepNorm struct {
	Dt, B, C []float32 // nil: without weights
	Eps      float32
}

// Apply records the norms.
func (n *StepNorm) Apply(b *graph.Builder, dt, bb, c *graph.Tensor) (_, _, _ *graph.Tensor) {
	return b.RMSNorm(dt, n.Dt, n.Eps), b.RMSNorm(bb, n.B, n.Eps), b.RMSNorm(c, n.C, n.Eps)
}

// Mamba2 is a layer of the state space duality (Dao and Gu 2024, arXiv:2405.21060, section 7): Mamba with heads, where the step
// and A are one number a head, B and C are shared by groups of heads and come straight from the input, and a norm follows the
// gate:
//
//	z, xBC, Δ = InZ·h, InXBC·h, InDt·h;  x, B, C = silu(conv(xBC));  Δ = softplus(Δ)
//	s = exp(Δ A) s + Δ x ⊗ B;  y = s C + D x
//	Out·RMSNorm(silu(z) ⊙ y), the norm by groups
type Mamba2 struct {
	InZ, InXBC, InDt graph.Linear
	Conv             Conv
	Groups           int
	Scan             graph.ScanSpec
	Norm             []float32 // (channels); nil: none
	Eps              float32
	Out              graph.Linear
}

// Apply records the layer.
func (m *Mamba2) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	z, xBC, dt := b.Linear(h, m.InZ), b.Linear(h, m.InXBC), b.Linear(h, m.InDt)
	xBC = b.Activate(m.Conv.Apply(b, xBC), graph.SiLU)
	width, shared := z.Width, m.Groups*m.Scan.N
	x, bb, c := b.View(xBC, 0, width), b.View(xBC, width, shared), b.View(xBC, width+shared, shared)
	y := b.Name(b.Scan(x, b.Activate(dt, graph.Softplus), bb, c, m.Scan), "mamba2_ssm")
	y = b.GLU(graph.SiLU, z, y)
	if m.Norm != nil {
		y = b.HeadNorm(y, m.Norm, m.Eps, width/m.Groups)
	}
	return b.Name(b.Linear(y, m.Out), "mamba2_out")
}
