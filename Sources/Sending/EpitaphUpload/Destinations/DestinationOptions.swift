// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// Further options of a destination.
    public struct DestinationOptions: Sendable {
        /// Whether bodies are sent compressed.
        public var compression = BodyCompression.gzip
        /// When a request is given up.
        public var timeLimits = TimeLimits()
        /// For `put:`, `post:` and `otlp:`. The values may contain placeholders and are never shown.
        public var headers: [(name: String, value: String)] = []
        /// For `s3:`: where the keys are unless the destination says so, an absolute path or
        /// `credential:NAME`. Nil for those of the environment.
        public var keysFile: String?

        /// Bodies compressed with gzip, the usual time limits and no headers.
        public init() {}

        func applied<Destination: AdjustableDestination>(to destination: Destination) -> Destination
        {
            var adjusted = destination
            adjusted.compression = compression
            adjusted.timeLimits = timeLimits
            return adjusted
        }
    }
}

protocol AdjustableDestination: ReportDestination {
    var compression: BodyCompression { get set }
    var timeLimits: TimeLimits { get set }
}

extension UploadDestination: AdjustableDestination {}
extension SentryDestination: AdjustableDestination {}
extension BacktraceDestination: AdjustableDestination {}
extension SocorroDestination: AdjustableDestination {}
extension BucketDestination: AdjustableDestination {}

extension DestinationOptions: CustomStringConvertible, CustomReflectable {
    public var description: String { "headers: \(headers.map(\.name))" }
    public var customMirror: Mirror {
        Mirror(self, children: ["compression": compression, "headers": headers.map(\.name)])
    }
}
