// SPDX-License-Identifier: Apache-2.0

import ReportDatabase

/// How a pass over the queue behaves.
public struct DeliveryRules: Sendable, Equatable {
    public var limits = UploadLimits()
    /// Whether reports are tried that are not due yet by their long-term schedule: for a person who
    /// asks for a pass now. A server that asked to be left alone is left alone all the same.
    public var ignoresSchedule = false
    /// How long a pass waits in a row while nothing can be sent, for a gate, a network, a server;
    /// then it ends, and what is left stays pending. Seconds.
    public var patienceSeconds = 600.0
    /// How often a closed gate and a missing network are asked again. Seconds, at least 1.
    public var askAgainSeconds = 15.0
    /// The most an attachment may hold, bytes; a larger one is left out and told of.
    public var attachmentLimitBytes = AttachmentLimit.defaultBytes

    public init() {}

    /// A try for each report at once, and no waiting for another.
    public static var oneTryEach: DeliveryRules {
        var rules = DeliveryRules()
        rules.limits.retryBehaviour = .none
        rules.limits.reportsPerMin = 0
        rules.ignoresSchedule = true
        rules.patienceSeconds = 0
        return rules
    }
}
