// SPDX-License-Identifier: Apache-2.0

public struct Counter: Sendable {
    public let label: String

    public init(label: String) {
        self.label = label
    }
}
