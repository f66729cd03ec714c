// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// Everything that is sent for one report, before a destination makes a request from it. It is
    /// a copy: changes here affect what is sent, and nothing on disk.
    public struct OutgoingReport: Sendable, Equatable {
        /// Lower case in requests, as in the database.
        public var uuid: Epitaph.ID
        /// The id of this installation, made at random once for each database.
        public var clientID: Epitaph.ID
        /// By default the report's file.
        package var minidump: OutgoingContent
        /// What the process said about itself, by name: `prod`, `ver` and whatever the program set.
        public var annotations: [String: String]
        /// Reasons of death and similar messages, the most important first.
        public var messages: [String]
        /// Breadcrumbs from before the crash, in the order noted.
        package var breadcrumbs: [Breadcrumb]
        /// As it was when the report was filed; nil if unknown.
        package var signature: KeptSignature?
        /// In the order in which they are sent. Names may occur twice.
        public var attachments: [OutgoingAttachment]

        package init(
            uuid: Epitaph.ID, clientID: Epitaph.ID, minidump: OutgoingContent,
            annotations: [String: String] = [:], messages: [String] = [],
            breadcrumbs: [Breadcrumb] = [], signature: KeptSignature? = nil,
            attachments: [OutgoingAttachment] = []
        ) {
            self.uuid = uuid
            self.clientID = clientID
            self.minidump = minidump
            self.annotations = annotations
            self.messages = messages
            self.breadcrumbs = breadcrumbs
            self.signature = signature
            self.attachments = attachments
        }
    }

    /// A file that goes with a report.
    public struct OutgoingAttachment: Sendable, Equatable {
        /// The file's name for the receiver, without a directory.
        public var name: String
        package var content: OutgoingContent
        package var type: MediaType

        package init(name: String, content: OutgoingContent, type: MediaType = .bytes) {
            self.name = name
            self.content = content
            self.type = type
        }

        /// A file, opened now; its first bytes decide its type, so that text is sent as text. If it
        /// cannot be opened it is left out, and `UploadDelegate.didLeaveOut` says why.
        ///
        /// - Parameters:
        ///   - filePath: of a regular file; a symbolic link in its last component is not followed.
        ///   - name: the last part of its path unless given.
        public init(filePath: String, name: String? = nil) {
            self.init(
                name: name ?? filePath.lastPathComponent,
                content: .file(path: filePath))
        }

        /// Bytes in memory, sent as they are.
        public init(name: String, bytes: [UInt8]) {
            self.init(name: name, content: .bytes(ByteSlice(bytes)))
        }

        /// - Parameter content: its first bytes decide the type.
        init(name: String, content: OutgoingContent) {
            var type = MediaType.bytes
            if case .file(let file) = content {
                type =
                    file.start(byteCount: MediaType.sniffedBytes).map { MediaType(sniffing: $0) }
                    ?? type
            }
            self.init(name: name, content: content, type: type)
        }
    }
}

/// Bytes in a file or in memory, or generated when they are read.
package enum OutgoingContent: Sendable {
    /// Stays open as long as this value exists.
    case file(BodyFile)
    case bytes(ByteSlice)
    /// Bytes produced while they are sent, for example a scrubbed copy.
    case reader(any ContentReader)
    /// A file that could not be opened, and why: such an attachment is left out.
    case unreadable(reason: String)

    /// The regular file at `path`, opened now, not through a link in the last component.
    public static func file(path: String) -> OutgoingContent {
        do throws(TransportError) {
            return .file(try BodyFile(opening: path))
        } catch {
            return .unreadable(error)
        }
    }

    /// Why a file cannot be opened, without the rest of the error's sentence.
    static func unreadable(_ error: TransportError) -> OutgoingContent {
        guard case .bodyUnreadable(let reason) = error else {
            return .unreadable(reason: error.description)
        }
        return .unreadable(reason: reason)
    }

    package func opened() throws(TransportError) -> StreamedBody.Piece {
        switch self {
        case .file(let file): .file(file)
        case .bytes(let bytes): .bytes(bytes)
        case .reader(let reader): .reader(reader)
        case .unreadable(let reason): throw .bodyUnreadable(reason: reason)
        }
    }
}

extension OutgoingContent: Equatable {
    /// Whether both are the same open file, the same reader, equal bytes, or the same reason.
    public static func == (left: OutgoingContent, right: OutgoingContent) -> Bool {
        switch (left, right) {
        case (.file(let one), .file(let other)): one == other
        case (.bytes(let one), .bytes(let other)): one == other
        case (.reader(let one), .reader(let other)): one === other
        case (.unreadable(let one), .unreadable(let other)): one == other
        default: false
        }
    }
}
