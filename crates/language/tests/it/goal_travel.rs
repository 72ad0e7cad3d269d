//! Travel requests in many wordings, each with what must be read from it.

use crate::goal_table::all_are_read;

#[test]
fn one_city_trips_are_read() {
    // spec: planning GD-02
    all_are_read(&[
        (
            "Please create a 3-day itinerary for one person from Tulsa to Denver, March 4th to March 6th, 2022, with a budget of $1,200.",
            "Tulsa|Denver|3|1|2022-03-04|1|1200|-|-|-|-",
        ),
        (
            "I'm going from St. Louis to Washington for 3 days, between March 9 and 11, 2022. My budget is $900.",
            "St. Louis|Washington|3|1|2022-03-09|1|900|-|-|-|-",
        ),
        (
            "Design a travel itinerary leaving Buffalo and heading to Atlanta over 3 days from March 2nd to 4th, 2022 for a single traveler with $1,100 to spend.",
            "Buffalo|Atlanta|3|1|2022-03-02|1|1100|-|-|-|-",
        ),
        (
            "Could you arrange a three-day trip for a solo traveler, beginning in Moline and going to Charlotte from March 15th through March 17th, 2022? The budget is 1,000 dollars.",
            "Moline|Charlotte|3|1|2022-03-15|1|1000|-|-|-|-",
        ),
        (
            "We are a couple who want to travel from Myrtle Beach to Chicago. Dates: March 22-24, 2022. Budget: $2,300.",
            "Myrtle Beach|Chicago|3|1|2022-03-22|2|2300|-|-|-|-",
        ),
        (
            "My wife and I would like a 3-day trip from Sacramento to Santa Ana, March 5 - March 7, 2022, spending no more than $1,900.",
            "Sacramento|Santa Ana|3|1|2022-03-05|2|1900|-|-|-|-",
        ),
        (
            "Help me organize a trip out of Newark bound for Nashville for a family of four, 2022-03-11 to 2022-03-13, budget set at $3,100.",
            "Newark|Nashville|3|1|2022-03-11|4|3100|-|-|-|-",
        ),
        (
            "Craft a 3 day vacation plan for a group of 5, flying out of Grand Rapids to visit Tampa from March 18th until March 20th, 2022, on a $4,000 budget.",
            "Grand Rapids|Tampa|3|1|2022-03-18|5|4000|-|-|-|-",
        ),
        (
            "Let's plan a trip for two from Kansas City to San Antonio from 3/7/2022 to 3/9/2022. We can spend up to $1,750.",
            "Kansas City|San Antonio|3|1|2022-03-07|2|1750|-|-|-|-",
        ),
        (
            "I would like to travel alone from Fort Lauderdale to Milwaukee on March 8th, 2022 and return on March 10th, 2022, with a maximum budget of $1,100.",
            "Fort Lauderdale|Milwaukee|3|1|2022-03-08|1|1100|-|-|-|-",
        ),
        (
            "Seeking a 3-day getaway for 7 people. The origin is Memphis and the destination is Palm Springs. We travel from March 1 to 3, 2022 and our total budget is $6,800.",
            "Memphis|Palm Springs|3|1|2022-03-01|7|6800|-|-|-|-",
        ),
        (
            "Organize a 3-day journey for a party of five from Ithaca to Newark spanning March 18th to 20th, 2022, capped at $3,500.",
            "Ithaca|Newark|3|1|2022-03-18|5|3500|-|-|-|-",
        ),
        (
            "Could you assist in planning a trip for 3 adults and 2 children from Las Vegas to Santa Maria, from March 10th to March 12th, 2022, with a budget of $3,800?",
            "Las Vegas|Santa Maria|3|1|2022-03-10|5|3800|-|-|-|-",
        ),
        (
            "I need a travel plan for one, departing Los Angeles for Portland on the 3rd of March 2022 for three days. I have $1,300 for the trip.",
            "Los Angeles|Portland|3|1|2022-03-03|1|1300|-|-|-|-",
        ),
        (
            "Can you draft a 3-day trip where I start in Norfolk and arrive in Tampa, March 26th-28th, 2022, by myself, with a budget of $1,000?",
            "Norfolk|Tampa|3|1|2022-03-26|1|1000|-|-|-|-",
        ),
        (
            "Please plan a trip from Austin, Texas to Denver, Colorado for 2 travelers from March 3 to March 5, 2022 with $1,600.",
            "Austin|Denver|3|1|2022-03-03|2|1600|-|-|-|-",
        ),
        (
            "Plan a round trip between Detroit and San Diego for 6 people, March 1st, 2022 to March 3rd, 2022. The overall budget is $5,300.",
            "Detroit|San Diego|3|1|2022-03-01|6|5300|-|-|-|-",
        ),
        (
            "A trip for my friend and me from Winston-Salem to New Orleans from March 28th to March 30th, 2022 for under $1,500, please.",
            "Winston-Salem|New Orleans|3|1|2022-03-28|2|1500|-|-|-|-",
        ),
    ]);
}

#[test]
fn trips_through_several_cities_are_read() {
    all_are_read(&[
        (
            "Please design a 5-day travel itinerary for 2 people that begins in Punta Gorda and covers 2 cities in Georgia from March 6th to March 10th, 2022, with a budget of $3,900.",
            "Punta Gorda|Georgia|5|2|2022-03-06|2|3900|-|-|-|-",
        ),
        (
            "I'd like a week-long trip starting in Tucson, visiting three different cities in California between March 11th and March 17th, 2022, alone, for $3,300.",
            "Tucson|California|7|3|2022-03-11|1|3300|-|-|-|-",
        ),
        (
            "Could you construct a journey commencing from Charlotte that takes 4 of us through 2 cities in Florida over 5 days, March 24 to 28, 2022? The budget: $7,000.",
            "Charlotte|Florida|5|2|2022-03-24|4|7000|-|-|-|-",
        ),
        (
            "Looking for a seven-day tour of 3 cities in North Carolina for a group of eight, departing from Newark on March 21st and ending on March 27th, 2022, with 9,500 USD.",
            "Newark|North Carolina|7|3|2022-03-21|8|9500|-|-|-|-",
        ),
        (
            "Create an itinerary spanning 5 days, from March 28th to April 1st, 2022. I leave from Appleton and want to see two cities in Pennsylvania. Solo trip, $2,200 budget.",
            "Appleton|Pennsylvania|5|2|2022-03-28|1|2200|-|-|-|-",
        ),
        (
            "Our family of three plans to explore 2 towns across Michigan from March 9 to March 13, 2022. We set off from Bangor and have budgeted $4,100.",
            "Bangor|Michigan|5|2|2022-03-09|3|4100|-|-|-|-",
        ),
        (
            "We're two people based in Manchester and hope to visit 3 cities in Virginia within 7 days, from March 4th to 10th, 2022, keeping expenses under $5,000.",
            "Manchester|Virginia|7|3|2022-03-04|2|5000|-|-|-|-",
        ),
        (
            "Help me with a one-week itinerary originating in Indianapolis and including stops at 3 distinct cities in Colorado, March 13th to March 19th, 2022, for one traveler. Total budget $3,400.",
            "Indianapolis|Colorado|7|3|2022-03-13|1|3400|-|-|-|-",
        ),
        (
            "Plan two weeks in Italy for 2 adults from Boston, visiting Rome, Florence and Venice, with 6k euros.",
            "Boston|Italy|14|3|-|2|6000|-|-|-|-",
        ),
        (
            "Our trip kicks off from Sioux Falls, heads to Texas and takes in a couple of cities there. 5 days, March 16-20, 2022, 3 people, $3,000.",
            "Sioux Falls|Texas|5|2|2022-03-16|3|3000|-|-|-|-",
        ),
        (
            "Can you help me to plan a 5-day trip that will take me from Cedar Rapids to two cities in Ohio, starting March 14th, 2022? I travel solo and my budget is $1,800.",
            "Cedar Rapids|Ohio|5|2|2022-03-14|1|1800|-|-|-|-",
        ),
        (
            "Embark on a 7-day expedition from Pensacola exploring three cities in New York for a pair of travelers, March 3rd through the 9th, 2022. Spend at most $5,700.",
            "Pensacola|New York|7|3|2022-03-03|2|5700|-|-|-|-",
        ),
    ]);
}

#[test]
fn house_rules_are_read() {
    all_are_read(&[
        (
            "Plan a 3-day trip for 4 people from Hartford to Savannah, March 5-7, 2022, $2,900. The accommodations must be smoking-friendly.",
            "Hartford|Savannah|3|1|2022-03-05|4|2900|smoking|-|-|-",
        ),
        (
            "From Reno to Boise for 2 people, March 5-7, 2022, trip budget $1,700. We want lodging where smoking is permitted.",
            "Reno|Boise|3|1|2022-03-05|2|1700|smoking|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for a party of 6, March 5-7, 2022, $3,700. Our rental should let us host parties.",
            "Reno|Boise|3|1|2022-03-05|6|3700|parties|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 6 people, March 5-7, 2022, $3,700. Accommodations must allow parties.",
            "Reno|Boise|3|1|2022-03-05|6|3700|parties|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 2 people, March 5-7, 2022, $3,700. We'd need rooms where visitors are welcome.",
            "Reno|Boise|3|1|2022-03-05|2|3700|visitors|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 2 people, March 5-7, 2022, $3,700. The place we stay should permit visitors.",
            "Reno|Boise|3|1|2022-03-05|2|3700|visitors|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 3 people, March 5-7, 2022, $3,700. Our dog comes along, so the hotel has to accept it.",
            "Reno|Boise|3|1|2022-03-05|3|3700|pets|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 3 people, March 5-7, 2022, $3,700. We need accommodations that don't prohibit pets.",
            "Reno|Boise|3|1|2022-03-05|3|3700|pets|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 3 people, March 5-7, 2022, $3,700. Lodging should be child-friendly.",
            "Reno|Boise|3|1|2022-03-05|3|3700|children under 10|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 3 people, March 5-7, 2022, $3,700. We're bringing kids younger than ten, so they must be welcome.",
            "Reno|Boise|3|1|2022-03-05|3|3700|children under 10|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 3 people, March 5-7, 2022, $3,700. We want a non-smoking hotel.",
            "Reno|Boise|3|1|2022-03-05|3|3700|-|-|-|-",
        ),
        (
            "A 3-day trip from Reno to Boise for 3 people, March 5-7, 2022, $3,700. We have no pets.",
            "Reno|Boise|3|1|2022-03-05|3|3700|-|-|-|-",
        ),
    ]);
}

#[test]
fn room_types_are_read() {
    all_are_read(&[
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500; we would like to have the entire room to ourselves.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|entire room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Accommodations should be entire rooms.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|entire room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We require accommodations that are not shared rooms.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|not shared room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We would rather not share our room.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|not shared room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Non-shared rooms, please.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|not shared room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We're fine with shared rooms.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|shared room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Our rooms need to be private and must allow pets.",
            "Erie|Miami|3|1|2022-03-05|2|1500|pets|-|private room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. A private room is a must, and smoking should be allowed.",
            "Erie|Miami|3|1|2022-03-05|2|1500|smoking|-|private room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We'd like an entire apartment.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|entire room|-",
        ),
    ]);
}

#[test]
fn transport_is_read() {
    all_are_read(&[
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. No flights please.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no flight",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We'd rather avoid flying.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no flight",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Flights are not an option for us.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no flight",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Any transportation other than flights works.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no flight",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We do not plan to self-drive.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no self-driving",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. No self-driving.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no self-driving",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We won't be driving ourselves.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no self-driving",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Self-driving should be excluded from our transportation.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|no self-driving",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We prefer self-driving and private rooms.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|private room|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Please find cheap flights, no shared rooms.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|not shared room|-",
        ),
    ]);
}

#[test]
fn cuisines_are_read() {
    all_are_read(&[
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We want to try Indian and Chinese food.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|Indian,Chinese|-|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Our culinary interests are French, Mexican, American and Italian.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|French,Mexican,American,Italian|-|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. We'd dine on Mediterranean dishes, avoid flights, and stay in shared rooms that allow visitors.",
            "Erie|Miami|3|1|2022-03-05|2|1500|visitors|Mediterranean|shared room|no flight",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500, on American Airlines.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|-|-|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. Food matters to us. Italian, Indian and French would be great.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|Italian,Indian,French|-|-",
        ),
        (
            "Trip from Erie to Miami, 2 people, March 5-7, 2022, $1,500. For food, American cuisine is enough.",
            "Erie|Miami|3|1|2022-03-05|2|1500|-|American|-|-",
        ),
    ]);
}

#[test]
fn short_and_loose_requests_are_read() {
    // spec: planning GD-02
    all_are_read(&[
        ("Plan a 3-day trip to Paris in May with a $2000 budget", "-|Paris|3|1|May 2025|-|2000|-|-|-|-"),
        ("weekend in Rome", "-|Rome|2|1|-|-|-|-|-|-|-"),
        (
            "plan a trip from new york to los angeles for 2 people in june, budget 3000",
            "new york|los angeles|-|1|June 2025|2|3000|-|-|-|-",
        ),
        ("I want to go to Tokyo next month for 10 days, 3k max", "-|Tokyo|10|1|October 2024|1|3000|-|-|-|-"),
        ("A honeymoon trip to Bali, 2 weeks, no more than 5.000 €", "-|Bali|14|-|-|2|5000|-|-|-|-"),
        ("Visit Lisbon and Porto in September with my partner", "-|Lisbon|-|2|September 2024|2|-|-|-|-|-"),
        (
            "Trip to San Francisco, CA from 2022-05-01 to 2022-05-04",
            "-|San Francisco|4|1|2022-05-01|-|-|-|-|-|-",
        ),
        (
            "I have 5 days off and want to explore Japan with my family of 4 in April for under 6 grand",
            "-|Japan|5|-|April 2025|4|6000|-|-|-|-",
        ),
        (
            "Two nights in Vienna for my sister and me, leaving next Friday",
            "-|Vienna|3|1|2024-09-20|2|-|-|-|-|-",
        ),
        (
            "Trip from Reno to Elko for 4. Room type: shared. House rule: visitors.",
            "Reno|Elko|-|1|-|4|-|visitors|-|shared room|-",
        ),
        (
            "Trip with San Luis Obispo as the starting point and Denver as the destination, March 2nd-4th 2022, budget 1.2k",
            "San Luis Obispo|Denver|3|1|2022-03-02|-|1200|-|-|-|-",
        ),
        (
            "A tour: Rome, Florence, Naples; 9 days; 2 adults + 1 child; EUR 3,400",
            "-|Rome|9|3|-|3|3400|-|-|-|-",
        ),
        ("3 days in Paris with $2000", "-|Paris|3|1|-|-|2000|-|-|-|-"),
        (
            "I need a trip starting on March 3, 2022 in Denver, then Austin, and returning to Denver on March 9, 2022, $2k",
            "Denver|Austin|7|1|2022-03-03|1|2000|-|-|-|-",
        ),
        (
            "Travel from Phoenix to San Jose del Cabo with a $1,250 budget for the two of us, staying 6 nights",
            "Phoenix|San Jose del Cabo|7|1|-|2|1250|-|-|-|-",
        ),
        (
            "Trip to Washington, D.C. for 3 people from Raleigh, NC, March 4-6, 2022.",
            "Raleigh|Washington|3|1|2022-03-04|3|-|-|-|-|-",
        ),
        (
            "Traveling party: 3. Route: Eugene to Burbank. When: March 19th to March 21st, 2022. Money: $2,000. Food: Chinese, Mediterranean. Transport: no flights.",
            "Eugene|Burbank|3|1|2022-03-19|3|2000|-|Chinese,Mediterranean|-|no flight",
        ),
        (
            "Put together a plan for four travelers who depart Madison for 2 Georgia cities between March 10th and March 14th, 2022. They hold a $5,250 budget, like Indian food, and want non-shared rooms.",
            "Madison|Georgia|5|2|2022-03-10|4|5250|-|Indian|not shared room|-",
        ),
        (
            "Would you be able to map out a 3-day journey for 2 adults out of Amarillo to Spokane? We leave on March 14th, 2022 and come home March 16th, 2022, and can't go above $2,050.",
            "Amarillo|Spokane|3|1|2022-03-14|2|2050|-|-|-|-",
        ),
        (
            "Book a flight from Madrid to Berlin on June 3 for £150",
            "Madrid|Berlin|-|1|2025-06-03|-|150|-|-|-|-",
        ),
    ]);
}
