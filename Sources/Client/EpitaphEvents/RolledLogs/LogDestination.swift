// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// Where logs are sent: makes the request for each log.
    public protocol LogDestination: Sendable {
        /// Scheme, host and port, without credentials.
        var server: String { get }

        /// The request that carries one log.
        ///
        /// - Parameters:
        ///   - file: the log as it was when last looked at.
        ///   - form: its format on the disk.
        ///   - body: the file's bytes as they are. Read while the request is sent.
        func request(
            for file: LogFile, _ form: LogForm, body: any BodySource
        ) throws(TransportError) -> UploadRequest
    }
}

extension Epitaph {
    /// A destination that receives each log as the body of a request made from a template. `{uuid}`
    /// is the log's id, `{file}` its name.
    public struct TemplateDestination: LogDestination {
        /// The request, with `{uuid}` and `{file}` in URL and headers.
        public var template: RequestTemplate

        /// - Parameter template: a request whose body is the log.
        public init(_ template: RequestTemplate) {
            self.template = template
        }

        public var server: String { template.server }

        /// A text is compressed if the template says so. A log that a logger has compressed with
        /// gzip is then sent exactly like a compressed text, so the server need not distinguish
        /// them. Any other compressed log, and every log if nothing is to be compressed, is sent as
        /// the file it is.
        public func request(
            for file: LogFile, _ form: LogForm, body: any BodySource
        ) throws(TransportError) -> UploadRequest {
            var template = template
            var isPacked = false
            if form != .plain {
                isPacked = form == .gzip && template.compression == .gzip
                template.compression = .none
            }
            var request = try template.request(
                body: body, type: isPacked ? .text : form.type,
                values: [.uuid: file.id.description, .file: file.name])
            if isPacked { request.headers.append(.gzipEncoded) }
            return request
        }
    }
}

extension Epitaph {
    /// The format of a log on disk, determined from its first bytes because names can be wrong.
    public enum LogForm: Sendable, Equatable, CaseIterable {
        /// Plain text, or the format of a compressor.
        case plain, gzip, zstandard, xz, bzip2

        /// How many first bytes are needed.
        static let markLength = 6

        /// - Parameter start: the first bytes of the file, fewer if it has no more.
        init(_ start: [UInt8]) {
            self = Self.allCases.first { !$0.mark.isEmpty && start.starts(with: $0.mark) } ?? .plain
        }

        /// RFC 1952 2.3.1, RFC 8878 3.1.1, the .xz file format 1.2.1 2.1.1.1, bzip2's manual.
        private var mark: [UInt8] {
            switch self {
            case .plain: []
            case .gzip: [0x1f, 0x8b]
            case .zstandard: [0x28, 0xb5, 0x2f, 0xfd]
            case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]
            case .bzip2: Array("BZh".utf8)
            }
        }

        /// RFC 6713, RFC 8878 7.1; the other two are not registered and go by these names.
        var type: MediaType {
            let text =
                switch self {
                case .plain: "text/plain"
                case .gzip: "application/gzip"
                case .zstandard: "application/zstd"
                case .xz: "application/x-xz"
                case .bzip2: "application/x-bzip2"
                }
            return MediaType(text) ?? .bytes
        }
    }
}
