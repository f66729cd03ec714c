// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// A destination as an operator writes it, on a command line, in the environment or in a
    /// settings file:
    ///
    ///     https://HOST/PATH                   a collector of Crashpad's and Breakpad's form
    ///     crashpad:https://HOST/PATH          the same
    ///     sentry:https://KEY@HOST/PROJECT     a Sentry DSN
    ///     backtrace:UNIVERSE/TOKEN            a project at submit.backtrace.io
    ///     backtrace:https://HOST/…            a project elsewhere
    ///     socorro:https://HOST/submit         a Socorro collector
    ///     s3:https://HOST/BUCKET/{uuid}       a bucket of an object store
    ///     otlp:https://HOST:4318              an OpenTelemetry collector
    ///     otlp:                               the one that OpenTelemetry's variables name
    ///     put:https://HOST/{uuid}.dmp         the minidump alone, by PUT
    ///     post:https://HOST/…                 the minidump alone, by POST
    ///
    /// Most of them are credentials as a whole, so printing a specification shows only its kind.
    public struct DestinationSpecification: Sendable, Equatable {
        /// The kinds of collectors; docs/destinations.md.
        public enum Kind: String, Sendable, CaseIterable {
            /// By their prefixes on a command line; `crashpad` is a plain URL.
            case crashpad, sentry, backtrace, socorro, s3, otlp, put, post
        }

        /// Which kind of collector it is.
        public let kind: Kind
        private let place: String

        /// - Throws: if it has no known kind and is not a URL. The rest is checked by
        ///   `destination`.
        public init(_ text: String) throws(SettingError) {
            let word = text.prefix { $0 != ":" }
            if let kind = Kind(rawValue: word.lowercased()), word.endIndex < text.endIndex {
                self.kind = kind
                place = String(text[word.endIndex...].dropFirst())
            } else if ["http", "https"].contains(word.lowercased()) {
                kind = .crashpad
                place = text
            } else {
                let kinds = Kind.allCases.map(\.rawValue)
                let near = likelyName(word.lowercased(), among: kinds, most: word.utf8.count / 3)
                throw SettingError(
                    "where to send reports is written as a URL, http:// or https://, or begins with"
                        + " what takes them there: "
                        + kinds.map { $0 + ":" }.joined(separator: ", ")
                        + (near.map { " (did you mean \($0):?)" } ?? ""))
            }
        }

        /// The destination that the text describes.
        ///
        /// - Parameter options: applied to the destination. Headers are only for `put:`,
        ///   `post:` and `otlp:`.
        /// - Throws: if the address cannot be used, or if there are headers for another kind.
        package func destination(
            _ options: DestinationOptions = DestinationOptions()
        ) throws(SettingError) -> any ReportDestination {
            guard options.headers.isEmpty || [.put, .post, .otlp].contains(kind) else {
                throw SettingError("headers can be chosen for put:, post: and otlp: alone")
            }
            switch kind {
            case .crashpad: return options.applied(to: UploadDestination(try crashpadURL()))
            case .sentry: return options.applied(to: try SentryDestination(dsn: place))
            case .backtrace: return options.applied(to: try backtrace())
            case .socorro:
                return options.applied(to: SocorroDestination(url: try url("the Socorro URL")))
            case .s3:
                let address = try BucketAddress(place, keysFile: options.keysFile)
                return options.applied(to: try BucketDestination(address))
            case .otlp: return OTLPDestination(try OTLPEndpoint(place).template(options))
            case .put, .post:
                return options.applied(
                    to: RawDestination(
                        try RequestTemplate(
                            kind == .put ? .put : .post, url: place, headers: options.headers)))
            }
        }

        private func url(_ part: String) throws(SettingError) -> UploadURL {
            try UploadURL(place, of: part)
        }

        /// A DSN is also a URL, but Sentry would not understand reports sent to it.
        private func crashpadURL() throws(SettingError) -> UploadURL {
            let url = try url("the upload URL")
            let isSentry = url.host == "sentry.io" || url.host.hasSuffix(".sentry.io")
            guard !isSentry || url.path.has("/minidump") else {
                throw SettingError(
                    "the upload URL looks like a Sentry DSN: write sentry: in front of it")
            }
            return url
        }

        private func backtrace() throws(SettingError) -> BacktraceDestination {
            guard !place.has("://") else {
                return try BacktraceDestination(url: try url("the Backtrace URL"))
            }
            let parts = place.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw SettingError(
                    "a Backtrace project is written backtrace:UNIVERSE/TOKEN, or as its URL")
            }
            return try BacktraceDestination(universe: String(parts[0]), token: String(parts[1]))
        }
    }
}

extension DestinationSpecification: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { kind.rawValue }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}

extension UploadURL {
    /// The URL of a part of a setting. The error repeats none of its text, most of which is secret.
    init(_ text: String, of part: String) throws(SettingError) {
        do throws(TransportError) {
            try self.init(text)
        } catch .invalidURL(let reason) {
            throw SettingError("\(part) cannot be used: \(reason)")
        } catch {
            throw SettingError("\(part) cannot be used: \(error)")
        }
    }
}
