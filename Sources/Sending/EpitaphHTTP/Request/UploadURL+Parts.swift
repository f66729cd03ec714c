// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension UploadURL {
    package var authority: Substring {
        let start = text.firstPlace(of: "://")?.upperBound ?? text.startIndex
        return text[start...].prefix { $0 != "/" && $0 != "?" }
    }

    package var pathAndQuery: Substring { text[authority.endIndex...] }

    package var path: Substring { pathAndQuery.prefix { $0 != "?" } }

    package var query: Substring { pathAndQuery.dropFirst(path.count + 1) }

    /// Percent-decoded; the password is empty if there is none. Nil if the URL has no user.
    package var userInformation: (user: String, password: String)? {
        guard let end = authority.lastIndex(of: "@") else { return nil }
        let written = authority[..<end]
        let user = written.prefix { $0 != ":" }
        return (percentDecoded(user), percentDecoded(written.dropFirst(user.count + 1)))
    }

    /// User and password, the values of the query, and parts of the path that may be tokens; as
    /// written, percent-decoded, and as sent.
    package var secrets: [String] {
        var found: [Substring] = []
        if let end = authority.lastIndex(of: "@") {
            found += authority[..<end].split(separator: ":")
        }
        for parameter in query.split(separator: "&") {
            found.append(parameter.drop { $0 != "=" }.dropFirst())
            // A token may be a parameter without a name: https://host/submit?TOKEN
            if !parameter.contains("=") { found.append(parameter) }
        }
        found += path.split(separator: "/").filter { $0.utf8.count >= Self.shortestToken }
        var texts = found.flatMap { [String($0), percentDecoded($0)] }
        // As sent: RFC 7617.
        if let (user, password) = userInformation {
            texts.append("\(user):\(password)".utf8.base64)
        }
        return texts.filter { !$0.isEmpty }
    }

    /// Collectors' tokens have 16 characters or more; other parts of a path rarely do.
    private static let shortestToken = 16
}
