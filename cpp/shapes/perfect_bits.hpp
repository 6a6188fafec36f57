// Whether a tree of some levels gets every row right, where all columns have two values.
//
// For every column one of its sides has to have no perfect tree of one level less; the side with
// more rows is asked first. Some of the rows are enough to refute all trees: at first about as many
// as would be needed for labels by chance, then twice as many, and so on.
//
// The last two levels. A side has a perfect split if some column, or its opposite, is the class of
// every row there. A set of bits has one bit for each column and each opposite; the columns that
// tell the class of a row are such a set, and those that tell the classes of all rows are what
// these sets have in common, which soon is nothing. For six rows at a time what any of them have in
// common is written down once: so the second split of two levels, which parts these rows in some
// way, takes four or five looks. One more column, which is the same for all rows, tells that a side
// has one class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "shapes/perfect.hpp"

namespace exactree {

// As perfect_tree(), for columns of ranks 0 and 1.
Perfect perfect_by_bits(const std::int32_t* ranks, std::size_t columns, std::size_t rows,
                        const std::int32_t* labels, int depth, const std::function<bool()>& stop);

}  // namespace exactree
