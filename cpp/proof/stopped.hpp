// Thrown by a prover that is told to stop.
#pragma once

namespace exactree::proof {

struct Stopped {};

}  // namespace exactree::proof
