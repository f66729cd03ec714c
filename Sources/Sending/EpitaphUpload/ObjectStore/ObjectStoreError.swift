// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem

/// Why an object store failed, as a sentence that names the bucket or the object.
package enum ObjectStoreError: Error, Sendable, Equatable {
    case transport(TransportError)
    /// The store refused. The words begin with the store's own code, if it gave one.
    case refused(place: String, status: Int, words: String, isTemporary: Bool)
    case missing(place: String)
    /// Compressed or not.
    case tooLarge(place: String, limitBytes: Int)
    case broken(place: String, reason: String)
    case invalidList(place: String, reason: String)
    /// The fetched object cannot be stored on this machine.
    case system(SystemError)

    package var isTemporary: Bool {
        switch self {
        case .transport(let error):
            switch error {
            case .cannotConnect, .timedOut, .interrupted: true
            default: false
            }
        case .refused(_, _, _, let isTemporary): isTemporary
        case .missing, .tooLarge, .broken, .invalidList, .system: false
        }
    }
}

extension ObjectStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .transport(let error): error.description
        case .refused(let place, let status, let words, _):
            "\(place): the store answered \(status)" + (words.isEmpty ? "" : " and said: \(words)")
        case .missing(let place): "\(place) is not there"
        case .tooLarge(let place, let limitBytes):
            "\(place) has more than the \(limitBytes) bytes that are fetched"
        case .broken(let place, let reason):
            "\(place) is stored with gzip, and cannot be decompressed: \(reason)"
        case .invalidList(let place, let reason): "the list of \(place) cannot be used: \(reason)"
        case .system(let error): "the fetched object cannot be stored: \(error)"
        }
    }
}
