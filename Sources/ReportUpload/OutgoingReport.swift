// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import Snapshot

/// All that goes out for one report, before a destination makes a request of it. A copy: whatever
/// is changed here changes what is sent, and nothing on the disk.
public struct OutgoingReport: Sendable, Equatable {
    /// Lower case in requests, as in the database.
    public var uuid: UUID
    /// This installation, made at random once for each database.
    public var clientID: UUID
    public var minidump: OutgoingContent
    /// What the process said about itself, by name: `prod`, `ver` and whatever the program set.
    public var annotations: [String: String]
    /// Last words and the like, the most telling first.
    public var messages: [String]
    /// What the program noted before the crash, in the order noted.
    public var breadcrumbs: [Breadcrumb]
    /// In the order sent. Names may come twice.
    public var attachments: [OutgoingAttachment]

    public init(
        uuid: UUID, clientID: UUID, minidump: OutgoingContent,
        annotations: [String: String] = [:], messages: [String] = [],
        breadcrumbs: [Breadcrumb] = [], attachments: [OutgoingAttachment] = []
    ) {
        self.uuid = uuid
        self.clientID = clientID
        self.minidump = minidump
        self.annotations = annotations
        self.messages = messages
        self.breadcrumbs = breadcrumbs
        self.attachments = attachments
    }
}

/// A file that goes with a report.
public struct OutgoingAttachment: Sendable, Equatable {
    /// The file's name for whoever receives it, without a directory.
    public var name: String
    public var content: OutgoingContent
    public var type: MediaType

    public init(name: String, content: OutgoingContent, type: MediaType = .bytes) {
        self.name = name
        self.content = content
        self.type = type
    }

    /// A file, whose type its first bytes tell: text is sent as text. One that cannot be opened is
    /// found out about when it is to be sent.
    ///
    /// - Parameter name: the last part of its path unless given.
    public init(filePath: String, name: String? = nil) {
        let start = (try? BodyFile(opening: filePath)).flatMap { file in
            file.start(byteCount: MediaType.sniffedBytes)
        }
        self.init(
            name: name ?? filePath.split(separator: "/").last.map(String.init) ?? filePath,
            content: .file(path: filePath), type: start.map { MediaType(sniffing: $0) } ?? .bytes)
    }
}

/// Bytes that wait in a file or in memory, or are made when they are read.
public enum OutgoingContent: Sendable {
    /// A regular file; a symbolic link in the last component of its path is not followed.
    case file(path: String)
    case bytes(ByteSlice)
    case reader(any ContentReader)

    /// A piece of a body. Opens the file.
    public func opened() throws(TransportError) -> StreamedBody.Piece {
        switch self {
        case .file(let path): .file(try BodyFile(opening: path))
        case .bytes(let bytes): .bytes(bytes)
        case .reader(let reader): .reader(reader)
        }
    }
}

/// Makes bytes when they are asked for. They are asked for more than once, and are always the same.
public protocol ContentReader: AnyObject, Sendable {
    var byteCount: Int { get }

    /// Reads at least one byte; `buffer` is not empty and ends inside the content.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int
}

extension OutgoingContent: Equatable {
    public static func == (left: OutgoingContent, right: OutgoingContent) -> Bool {
        switch (left, right) {
        case (.file(let one), .file(let other)): one == other
        case (.bytes(let one), .bytes(let other)): one == other
        case (.reader(let one), .reader(let other)): one === other
        default: false
        }
    }
}
