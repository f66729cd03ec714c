// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphMinidump
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// How reports are sent.
    public struct UploadOptions: Sendable {
        /// Rate, retries, and how many reports are kept; names and defaults are Backtrace's.
        public var limits = UploadLimits()
        /// Takes part in the decisions and learns the results. Called on the upload thread.
        public var delegate: (any UploadDelegate)?
        /// Can postpone a report, for example on battery or outside the maintenance window.
        public var gate: UploadGate?
        /// Asks the user about each report while uploads are not enabled.
        public var confirmation: UploadConfirmation?
        /// Called last; may change what is sent.
        public var transform: (@Sendable (inout OutgoingReport) throws(TransportError) -> Void)?
        /// What must not leave the machine. Removed after `transform`.
        public var scrubbing = ScrubbingRules()
        /// Certificates and proxies.
        public var transport = TransportOptions()
        /// The largest size of an attachment, in bytes.
        public var attachmentLimitBytes = AttachmentLimit.defaultBytes
        /// How long the thread waits in a row while nothing can be sent, before the pass ends.
        public var patience = Duration.seconds(600)
        /// From the end of a pass to the next, at least 1 s; nil for a single pass. A daemon should
        /// set this: a later pass retries what could not be sent.
        public var repeatsAfter: Duration?

        /// One pass with the standard limits and nothing scrubbed.
        public init() {}

        var rules: DeliveryRules {
            var rules = DeliveryRules()
            rules.limits = limits
            rules.patienceSeconds = patience.inSeconds
            rules.attachmentLimitBytes = attachmentLimitBytes
            return rules
        }

        var callbacks: UploadCallbacks {
            var callbacks = UploadCallbacks()
            callbacks.delegate = delegate
            callbacks.gate = gate
            callbacks.confirmation = confirmation
            if let transform { callbacks.transform = transform }
            callbacks.scrub(by: scrubbing)
            return callbacks
        }

        var prunePolicy: PrunePolicy {
            PrunePolicy(
                maxRecordCount: limits.maxRecordCount, maxDatabaseSizeMB: limits.maxDatabaseSize)
        }
    }
}
