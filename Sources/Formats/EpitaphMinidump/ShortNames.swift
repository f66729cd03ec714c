// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// What users call Epitaph.Event is Event in the house.
package typealias KeyPattern = Epitaph.KeyPattern
package typealias KeyRules = Epitaph.KeyRules
package typealias ReportPart = Epitaph.ReportPart
package typealias ScrubbingOption = Epitaph.ScrubbingOption
package typealias ScrubbingRules = Epitaph.ScrubbingRules
package typealias ScrubbingSummary = Epitaph.ScrubbingSummary
