// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Fetches files from symbol servers. What an answer is worth, and which servers are asked, is
/// decided by `SymbolServers`.
package protocol SymbolClient: Sendable {
    /// Asks one server for one file, or finds the file in the cache.
    ///
    /// - Parameters:
    ///   - request: which file.
    ///   - server: its URL.
    ///   - goesOn: called several times a second while something is fetched, with the bytes received,
    ///     nil before the server has begun to send, and the bytes of the whole file as far as the server
    ///     said so; false ends the transfer.
    func fetch(
        _ request: SymbolRequest, from server: String,
        goesOn: @escaping @Sendable (_ received: Int?, _ total: Int?) -> Bool
    ) -> SymbolAnswer

    /// Removes a file that is not what was asked for from the cache, if this client put it there.
    func discard(_ file: FetchedFile)

    /// Removes the mark that no server has the file of the last request, if that request made it:
    /// other servers are still to be asked, or did not answer.
    func forgetMiss()

    /// Why what is fetched is not kept where other programs look for it, as a sentence without a
    /// full stop; nil if it is.
    var noteOnCache: String? { get }
}

/// What became of a request.
package enum SymbolAnswer: Sendable {
    case file(FetchedFile)
    /// The server does not have it.
    case unknown
    /// Another program asked all servers some minutes ago, and none had it.
    case unknownToAll
    /// The server has it, but it is larger than the environment permits.
    case tooLarge
    /// `goesOn` ended it.
    case stopped
    /// This server gives no answer; the reason is a clause.
    case failed(String)
    /// Nothing can be fetched at all, from no server; the reason is a clause.
    case impossible(String)
}

/// A file that a server sent, in the cache.
package struct FetchedFile: Sendable {
    /// Open for reading, at any position.
    package let descriptor: FileDescriptor
    /// Where it is.
    package let path: String
    /// False if the cache had it before.
    package let isNew: Bool

    /// All as in the properties.
    package init(_ descriptor: FileDescriptor, path: String, isNew: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.isNew = isNew
    }
}
