// SPDX-License-Identifier: Apache-2.0

extension Comparable {
    package func clamped(to range: ClosedRange<Self>) -> Self {
        self >= range.lowerBound ? min(self, range.upperBound) : range.lowerBound
    }
}
