// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// How large the parts of a report are, in bytes before compression.
    public struct ReportSizes: Sendable, Equatable {
        /// Bytes of the minidump.
        public var minidumpBytes: Int
        /// All attachments, in no particular order.
        public var attachments: [Attachment]

        /// An attachment's name and size.
        public struct Attachment: Sendable, Equatable {
            /// The attachment's name.
            public var name: String
            /// Its size in bytes.
            public var bytes: Int
        }

        /// Sizes in bytes, before compression.
        public init(minidumpBytes: Int, attachments: [Attachment] = []) {
            self.minidumpBytes = minidumpBytes
            self.attachments = attachments
        }

        /// A file whose size cannot be read counts as empty.
        init(_ report: OutgoingReport) {
            self.init(
                minidumpBytes: report.minidump.sizeBytes ?? 0,
                attachments: report.attachments.map {
                    Attachment(name: $0.name, bytes: $0.content.sizeBytes ?? 0)
                })
        }
    }
}

extension ReportSizes: CustomStringConvertible {
    /// For example `its minidump has 1048576 bytes, and 2 attachments have 300 bytes (a.log 100,
    /// b.log 200)`; the ten largest by name.
    public var description: String {
        let start = "its minidump has \(minidumpBytes) bytes"
        guard !attachments.isEmpty else { return start + ", and it has no attachments" }
        let total = attachments.reduce(0) { $0.addingClamped($1.bytes) }
        let largest = attachments.sorted { $0.bytes > $1.bytes }.prefix(10)
            .map { "\($0.name.oneLine()) \($0.bytes)" }
        return start + ", and \(attachments.count) attachments have \(total) bytes ("
            + largest.joined(separator: ", ")
            + (attachments.count > largest.count ? ", …)" : ")")
    }
}
