// SPDX-License-Identifier: Apache-2.0

extension Comparable {
    /// The nearest value in a range, as options have it that are set out of theirs.
    ///
    /// NaN, with which every comparison is false, becomes the lower bound.
    package func clamped(to range: ClosedRange<Self>) -> Self {
        self >= range.lowerBound ? min(self, range.upperBound) : range.lowerBound
    }
}
