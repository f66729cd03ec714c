// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

func body(_ bytes: [UInt8] = Array("report".utf8)) -> StreamedBody {
    StreamedBody([.bytes(ByteSlice(bytes))])
}

/// A transport that talks to this machine only, whatever proxy the environment names.
func directTransport(caFile: String? = nil) throws -> CurlTransport {
    var options = TransportOptions()
    options.proxy = .none
    options.caFile = caFile
    return try CurlTransport(options)
}

extension TransportError {
    /// The case's name, to compare without the reason's words.
    var kind: String {
        switch self {
        case .invalidURL: "invalidURL"
        case .cannotConnect: "cannotConnect"
        case .tls: "tls"
        case .timedOut: "timedOut"
        case .interrupted: "interrupted"
        case .invalidAnswer: "invalidAnswer"
        case .redirectRefused: "redirectRefused"
        case .bodyUnreadable: "bodyUnreadable"
        case .answerTooLarge: "answerTooLarge"
        case .answerNotKept: "answerNotKept"
        case .notSigned: "notSigned"
        case .unavailable: "unavailable"
        }
    }
}
