// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Users write `Epitaph.KeyPattern`; our own code writes the short name.
package typealias KeyPattern = Epitaph.KeyPattern
package typealias KeyRules = Epitaph.KeyRules
package typealias ReportPart = Epitaph.ReportPart
package typealias ScrubbingOption = Epitaph.ScrubbingOption
package typealias ScrubbingRules = Epitaph.ScrubbingRules
package typealias ScrubbingSummary = Epitaph.ScrubbingSummary
